package store

import (
	"context"
	"errors"
	"fmt"
	"io"
	"runtime/debug"
	"strings"
	"time"
)

// Config says where the database is.
type Config struct {
	URL string // sqlite:PATH or postgres://...

	MustExist bool // whether a database that is not there is an error, not made
}

// Store is an open database. It is safe for concurrent use.
type Store struct{ engine engine }

// Open opens the database. It does not migrate.
func Open(ctx context.Context, cfg Config) (*Store, error) {
	var e engine
	var err error
	switch scheme, path, _ := strings.Cut(cfg.URL, ":"); {
	case scheme == "sqlite" && path != "":
		e, err = openSQLite(ctx, path, cfg.MustExist)
	case scheme == "postgres" || scheme == "postgresql":
		e, err = openPostgres(ctx, cfg.URL, cfg.MustExist)
	default:
		return nil, fmt.Errorf("the database URL %q is not understood: write sqlite:PATH or postgres://user:password@host/name", redact(cfg.URL))
	}
	if err != nil {
		return nil, err
	}
	return &Store{e}, nil
}

// Write runs fn in one transaction. When Write returns nil the change is kept,
// whatever happens next; when it returns an error nothing of fn has happened,
// but for one case: of several nodes on one database that becomes unreachable
// while it commits, the answer is a fault of the kind Unavailable and the change
// may have happened.
//
// fn must be quick: no hashing and no I/O, since others wait for it. It must
// not keep the Tx. It may run more than once, each time on a state in which
// nothing of the time before has happened: what it leaves outside is what its
// last run has put there. A panic of fn becomes an error.
func (s *Store) Write(ctx context.Context, fn func(*Tx) error) error {
	return s.engine.write(ctx, fn)
}

// Read runs fn outside a transaction: each statement sees the newest
// committed state, and two statements may see different ones.
func (s *Store) Read(ctx context.Context, fn func(*Tx) error) error {
	return fn(s.engine.read())
}

// Ping reports whether the database answers and, of a server, takes writes
// (ErrReadOnly).
func (s *Store) Ping(ctx context.Context) error { return s.engine.ping(ctx) }

// Now returns what a database server's clock shows. It is for telling how far
// this machine is from it, and nothing is decided by it. False means that the
// database has no clock of its own.
func (s *Store) Now(ctx context.Context) (time.Time, bool, error) { return s.engine.now(ctx) }

// Close waits for the writes that were accepted, then closes the database.
func (s *Store) Close() error { return s.engine.close() }

// ErrInUse says that another process serves this database.
var ErrInUse = errors.New("another portico serves this database already: stop it first")

// Claim makes this process one that serves the database, until the returned
// Closer is closed or the process ends, however it does. A SQLite file has one
// such process, and another gets ErrInUse; a PostgreSQL database has any number.
// Commands that only read and write need no claim.
func (s *Store) Claim() (io.Closer, error) { return s.engine.claim() }

// Shared reports whether other processes may serve the database at the same
// time.
func (s *Store) Shared() bool { return s.engine.shared() }

// ErrNoBackup says that the engine has a tool of its own for copies.
var ErrNoBackup = errors.New("a PostgreSQL database is copied by its own tools: run pg_dump --format=custom, and keep the key file as well")

// Backup writes a consistent copy of the database to path while it is in use.
// The copy appears whole or not at all; an existing file is not replaced, and
// the error wraps fs.ErrExist. On PostgreSQL it returns ErrNoBackup.
func (s *Store) Backup(ctx context.Context, path string) error { return s.engine.backup(ctx, path) }

// guarded runs fn and makes an error of its panic: the mistake of one caller
// must not end what carries out the writes of others.
func guarded(tx *Tx, fn func(*Tx) error) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("panic in a write: %v\n%s", p, debug.Stack())
		}
	}()
	return fn(tx)
}

// redact hides what a database URL may hold besides the engine.
func redact(url string) string {
	scheme, _, _ := strings.Cut(url, ":")
	return scheme + ":..."
}

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
