// Package pgtest gives tests databases on the PostgreSQL server that
// tools/postgres runs. Each test has its own database, which is deleted at its
// end.
package pgtest
