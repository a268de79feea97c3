package store

import (
	"context"
	"io"
	"time"

	"portico/internal/store/engine"
)

// Config says where the database is.
type Config struct {
	URL string // sqlite:PATH or postgres://...

	MustExist bool // fail when the database is missing, instead of creating it
}

// Store is an open database. It is safe for concurrent use.
type Store struct{ engine engine.Engine }

// Write runs fn in one transaction. When Write returns nil, the change is kept.
// When it returns an error, nothing of fn has happened, with one exception. If a
// server becomes unreachable during the commit, the error is a fault of the kind
// Unavailable, and the change may have happened.
//
// fn must be quick, without hashing and I/O, because other writes wait for it.
// It must not keep the Tx. fn may be retried. Each attempt starts after a
// rollback, so assign outer variables and never append to them. A panic of fn
// becomes an error.
func (s *Store) Write(ctx context.Context, fn func(*Tx) error) error {
	return s.engine.Write(ctx, func(core *engine.Tx) error { return fn(&Tx{core}) })
}

// Read runs fn outside a transaction. Each statement sees the newest committed
// state, so two statements may see different states.
func (s *Store) Read(ctx context.Context, fn func(*Tx) error) error {
	return fn(&Tx{s.engine.Read()})
}

// Ping reports whether the database answers and takes writes (ErrReadOnly).
func (s *Store) Ping(ctx context.Context) error { return s.engine.Ping(ctx) }

// Stats returns the figures of the database.
func (s *Store) Stats() Stats { return s.engine.Stats() }

// Now returns the clock of a database server. The nodes correct the clocks of
// their machines by it. False means that the database has no clock of its own.
func (s *Store) Now(ctx context.Context) (time.Time, bool, error) { return s.engine.Now(ctx) }

// Close waits for accepted writes and closes the database.
func (s *Store) Close() error { return s.engine.Close() }

// Claim makes this process one that serves the database, until the Closer is
// closed or the process ends. A SQLite file allows one such process and returns
// ErrInUse to others. A PostgreSQL database allows any number. Commands that
// only read and write need no claim.
func (s *Store) Claim() (io.Closer, error) { return s.engine.Claim() }

// Shared reports whether other processes may serve the database at the same
// time.
func (s *Store) Shared() bool { return s.engine.Shared() }

// Backup writes a consistent copy of the database to path while it is in use.
// The copy appears whole or not at all. An existing file is not replaced, and
// the error then wraps fs.ErrExist. On PostgreSQL it returns ErrNoBackup.
func (s *Store) Backup(ctx context.Context, path string) error { return s.engine.Backup(ctx, path) }

func micros(t time.Time) int64 {
	if t.IsZero() {
		return 0
	}
	return t.UnixMicro()
}

func fromMicros(us int64) time.Time {
	if us == 0 {
		return time.Time{}
	}
	return time.UnixMicro(us).UTC()
}
