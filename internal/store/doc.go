// Package store keeps everything in one SQL database: SQLite in a file, or
// PostgreSQL for any number of processes.
//
// It owns the migrations and every SQL text. The file migrations/0001_start.sql explains
// every table and column. The package knows no rule of the product. Each
// package that stores data declares the small interfaces that it needs. The methods of
// Tx implement them, and say which one, in files named by their subject. The packages
// below it do the rest:
//
//	engine     what the store needs of an engine, and what both share
//	sqlite     the engine for one file
//	postgres   the engine for a server and any number of nodes
//	move       moves an installation from the first to the second
//	storetest  the contract: one case for each method of Tx, run on both
//
// Invariants:
//   - One SQL text per operation for both engines: numbered placeholders ($1),
//     ON CONFLICT, RETURNING. Times are integer microseconds since 1970 (UTC),
//     lists are JSON text, canonical forms come from Go. Never now(), never
//     lower(). Only the locking of rows differs (engine.Locks).
//   - A write that was acknowledged is kept, and has happened once.
//   - Single use is one conditional UPDATE or DELETE. Its number of rows says who won.
//   - Released migrations never change.
package store
