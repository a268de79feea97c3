package store

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"portico/internal/store/engine"
	"portico/internal/store/postgres"
	"portico/internal/store/sqlite"
)

// The store offers these names of internal/store/engine.
type (
	Facts = engine.Facts
	Stats = engine.Stats
	Pool  = engine.Pool

	MoveState = engine.MoveState
)

// States of a database in a move.
const (
	MoveLeaving = engine.MoveLeaving
	MoveGone    = engine.MoveGone
	MoveComing  = engine.MoveComing
)

// CodeUnavailable says that the database does not answer in time.
const CodeUnavailable = engine.CodeUnavailable

// The errors of an engine that callers tell apart.
var (
	ErrNone     = engine.ErrNone
	ErrInUse    = engine.ErrInUse
	ErrNoBackup = engine.ErrNoBackup
	ErrReadOnly = engine.ErrReadOnly
	ErrMoved    = engine.ErrMoved
	ErrComing   = engine.ErrComing
)

// Open opens the database. It does not migrate.
func Open(ctx context.Context, cfg Config) (*Store, error) {
	var e engine.Engine
	var err error
	switch scheme, path, _ := strings.Cut(cfg.URL, ":"); {
	case scheme == "sqlite" && path != "":
		e, err = sqlite.Open(ctx, path, cfg.MustExist)
	case postgres.Speaks(cfg.URL):
		e, err = postgres.Open(ctx, cfg.URL, cfg.MustExist)
	default:
		return nil, fmt.Errorf("the database URL %q is not understood: write sqlite:PATH or postgres://user:password@host/name", scheme+":...")
	}
	if err != nil {
		return nil, err
	}
	return On(e), nil
}

// On returns a Store on an engine that is open. Closing the Store closes it.
func On(e engine.Engine) *Store { return &Store{e} }

// CheckURL says what is wrong with the address of a database, without asking a server. The
// error shows only the wrong part of the address.
func CheckURL(address string) error {
	if !postgres.Speaks(address) {
		return nil
	}
	return postgres.CheckURL(address)
}

// Reach tries once whether a database server accepts a connection, and ends with
// ctx. A SQLite file is always in reach.
func Reach(ctx context.Context, address string) error {
	if !postgres.Speaks(address) {
		return nil
	}
	return postgres.Reach(ctx, address)
}

// ComesBack reports whether an error says that a database server is away for now: it is
// down, starts or stops, is full, or its name is not found. It is false for what only an
// operator can fix, such as a wrong password.
func ComesBack(err error) bool { return postgres.ComesBack(err) }

var errLook = errors.New("the database was opened only for reading")

// Look opens a database to read it, and leaves everything as it is: it makes no
// file, migrates nothing, and Write fails. Another process may serve the
// database. A SQLite file that is missing is an error that wraps fs.ErrNotExist.
func Look(ctx context.Context, url string) (*Store, error) {
	if path, ok := strings.CutPrefix(url, "sqlite:"); ok {
		e, err := sqlite.Look(path)
		if err != nil {
			return nil, err
		}
		return On(looking{e}), nil
	}
	s, err := Open(ctx, Config{URL: url})
	if err != nil {
		return nil, err
	}
	return On(looking{s.engine}), nil
}

// looking is an engine that refuses writes.
type looking struct{ engine.Engine }

// Write implements engine.Engine.
func (looking) Write(context.Context, func(*engine.Tx) error) error { return errLook }

// Alone implements engine.Engine.
func (looking) Alone(context.Context, bool, func() error) error { return errLook }
