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

	MustExist bool // whether a database that is not there is an error, not made
}

// Store is an open database. It is safe for concurrent use.
type Store struct{ engine engine.Engine }

// Write runs fn in one transaction. When Write returns nil the change is kept,
// whatever happens next; when it returns an error nothing of fn has happened,
// but for one case: of several nodes on one database that becomes unreachable
// while it commits, the answer is a fault of the kind Unavailable and the change
// may have happened.
//
// fn must be quick, without hashing and I/O, because other writes wait for it. It
// must not keep the Tx. fn may be retried. Each attempt starts after a rollback,
// so assign outer variables and never append to them. A panic of fn becomes an
// error.
func (s *Store) Write(ctx context.Context, fn func(*Tx) error) error {
	return s.engine.Write(ctx, func(core *engine.Tx) error { return fn(&Tx{core}) })
}

// Read runs fn outside a transaction: each statement sees the newest
// committed state, and two statements may see different ones.
func (s *Store) Read(ctx context.Context, fn func(*Tx) error) error {
	return fn(&Tx{s.engine.Read()})
}

// Ping reports whether the database answers and takes writes (ErrReadOnly).
func (s *Store) Ping(ctx context.Context) error { return s.engine.Ping(ctx) }

// Stats returns the figures of the database.
func (s *Store) Stats() Stats { return s.engine.Stats() }

// Now returns what a database server's clock shows. It is for telling how far
// this machine is from it, and nothing is decided by it. False means that the
// database has no clock of its own.
func (s *Store) Now(ctx context.Context) (time.Time, bool, error) { return s.engine.Now(ctx) }

// Close waits for the writes that were accepted, then closes the database.
func (s *Store) Close() error { return s.engine.Close() }

// Claim makes this process one that serves the database, until the returned
// Closer is closed or the process ends, however it does. A SQLite file has one
// such process, and another gets ErrInUse; a PostgreSQL database has any number.
// Commands that only read and write need no claim.
func (s *Store) Claim() (io.Closer, error) { return s.engine.Claim() }

// Shared reports whether other processes may serve the database at the same
// time.
func (s *Store) Shared() bool { return s.engine.Shared() }

// Backup writes a consistent copy of the database to path while it is in use.
// The copy appears whole or not at all; an existing file is not replaced, and
// the error wraps fs.ErrExist. On PostgreSQL it returns ErrNoBackup.
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
