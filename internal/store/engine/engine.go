package engine

import (
	"context"
	"database/sql"
	"io"
	"time"

	"github.com/pressly/goose/v3"
)

// VersionTable is the table of the migrations that were applied. It has a name of its
// own, so that a program with the same migration tool can use the same database.
const VersionTable = "schema_version"

// Engine is one kind of database. Its methods are safe for concurrent use.
type Engine interface {
	// Write runs fn in one transaction, as store.Store.Write says.
	Write(ctx context.Context, fn func(*Tx) error) error
	// Read returns a Tx that runs each statement on its own.
	Read() *Tx
	// Long runs fn in one transaction on a connection of its own, without the time limits of
	// requests and without retries. One that does not write sees one state of all tables.
	Long(ctx context.Context, write bool, fn func(*sql.Conn, *Tx) error) error
	// Ping reports whether the database answers and takes writes.
	Ping(ctx context.Context) error
	Stats() Stats
	// Facts leaves Facts.Newest empty.
	Facts(ctx context.Context) (Facts, error)
	// Rights refuses a database with these Facts in which Portico lacks the right to make
	// the newest schema, or to use it. failed is the error of Facts: Rights returns it, or
	// the lacking right behind it. It changes nothing.
	Rights(ctx context.Context, f Facts, failed error) error
	// Explain adds to an error what the operator can do, where the engine knows.
	Explain(err error) error
	// Close waits for the writes that were accepted.
	Close() error

	// MakeMonths makes the partitions of the audit records for the months from a time on, and
	// some after now, if the engine has partitions and the role may.
	MakeMonths(ctx context.Context, from, now time.Time) error
	// DropMonths drops the partitions whose records are all from before a time.
	DropMonths(ctx context.Context, before time.Time) error

	// Schema returns what migrations run on.
	Schema() (goose.Dialect, *sql.DB)
	// Alone runs fn while no other process migrates. SQLite requires that all
	// servers are stopped, so it does nothing unless a migration is needed.
	Alone(ctx context.Context, needed bool, fn func() error) error
	// Contested reports whether a migration failed because others held a table.
	// It may be tried again.
	Contested(err error) bool
	// Keep saves what a migration from a version may spoil, where the engine can.
	Keep(ctx context.Context, version int64) error
	// WayBack tells the operator how to return to a version of the schema.
	WayBack(version int64) string
	// Anew says how to begin with an empty database.
	Anew() string

	// Claim, Shared, Now, Lineage and Backup implement the methods of store.Store.
	Claim() (io.Closer, error)
	Shared() bool
	Now(ctx context.Context) (time.Time, bool, error)
	Lineage(ctx context.Context) (string, error)
	Backup(ctx context.Context, path string) error
	// ForgetMove removes what an interrupted move has left in the database.
	ForgetMove(ctx context.Context) error
}
