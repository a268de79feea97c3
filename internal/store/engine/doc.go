// Package engine defines the interface of a database engine, and owns the code that
// both engines share: the transaction that runs statements, the error of an
// unreachable database, and the statistics.
//
// It knows neither the SQL of the product (internal/store) nor a driver
// (internal/store/sqlite and internal/store/postgres).
package engine
