// Package store keeps everything in one SQL database: SQLite in a file, or
// PostgreSQL for any number of processes.
//
// It owns the connections, the transactions, the migrations and every SQL
// text. It knows no rule of any room: each room declares the small interface
// that it needs, and the methods of Tx implement them, one file a room.
//
// Invariants:
//   - One text per operation for every engine: numbered placeholders ($1),
//     ON CONFLICT, RETURNING; times are integer microseconds since 1970 (UTC),
//     lists are JSON text, canonical forms come from Go. Never now(), never
//     lower().
//     What the engines differ in is how rows are locked (locks.go) and what is
//     in the files that bear their names.
//   - A write that was acknowledged is kept (synchronous=FULL), and has
//     happened once.
//   - Single use is one conditional UPDATE or DELETE ... RETURNING.
//   - Released migrations never change.
package store
