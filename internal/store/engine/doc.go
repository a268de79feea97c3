// Package engine says what the store needs of a database engine, and holds what
// both engines share: the transaction that runs statements, the error of a
// database that is away, and the figures.
//
// It knows no SQL of the rooms, which is in internal/store, and no driver, which
// is in internal/store/sqlite and internal/store/postgres.
package engine
