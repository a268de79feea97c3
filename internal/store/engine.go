package store

import (
	"context"
	"database/sql"
	"io"
	"time"

	"github.com/pressly/goose/v3"
)

// engine is one kind of database: what differs between them. The rest of the
// package is the same text for all.
type engine interface {
	write(ctx context.Context, fn func(*Tx) error) error
	read() *Tx
	ping(ctx context.Context) error
	stats() Stats
	facts(ctx context.Context) (Facts, error)
	// explain says of an error what to do about it, where the engine knows.
	explain(err error) error
	close() error

	// schema returns what migrations run on.
	schema() (goose.Dialect, *sql.DB)
	// alone runs fn while no other process migrates. An engine whose processes
	// must all end first asks needed before it looks for any.
	alone(ctx context.Context, needed func() (bool, error), fn func() error) error
	// keep saves what a migration from a version may spoil, where the engine can.
	keep(ctx context.Context, version int64) error
	// wayBack says in words how to get back to a version of the schema.
	wayBack(version int64) string

	claim() (io.Closer, error)
	shared() bool
	now(ctx context.Context) (time.Time, bool, error)
	backup(ctx context.Context, path string) error
}

// runner runs statements for a Tx: in its transaction, or each on its own.
type runner interface {
	exec(ctx context.Context, query string, args ...any) (int64, error)
	query(ctx context.Context, query string, args ...any) (rows, error)
}

// rows is a result on its way. Close may be called more than once; Err is
// final after it.
type rows interface {
	scanner
	Next() bool
	Close() error
	Err() error
}

type scanner interface{ Scan(dest ...any) error }
