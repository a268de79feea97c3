// Package pgtest gives tests databases on the PostgreSQL that tools/postgres
// runs beside them. Each has its own, which is gone when it ends.
package pgtest
