package store

import (
	"context"
	"errors"
	"strings"
)

// Facts are what an operator asks of a database first.
type Facts struct {
	Engine  string // "SQLite" or "PostgreSQL"
	Version string // of the engine
	Schema  int64  // 0: no Portico has used the database
	Newest  int64  // the schema that this program needs

	// Of a server; zero where it does not say.
	Connections    int // of everybody, now
	MaxConnections int // that it allows in all
	Pool           int // that one node takes at most
}

var errLook = errors.New("the database was opened to be looked at")

// Look opens a database to read it, and leaves everything as it is: it makes no
// file, migrates nothing, and Write fails. It may be one that another process
// serves. A SQLite file that is not there is an error that wraps fs.ErrNotExist.
func Look(ctx context.Context, url string) (*Store, error) {
	if path, ok := strings.CutPrefix(url, "sqlite:"); ok {
		e, err := lookSQLite(path)
		if err != nil {
			return nil, err
		}
		return &Store{looking{e}}, nil
	}
	s, err := Open(ctx, Config{URL: url})
	if err != nil {
		return nil, err
	}
	return &Store{looking{s.engine}}, nil
}

// looking is an engine through which nothing is written.
type looking struct{ engine }

func (looking) write(context.Context, func(*Tx) error) error { return errLook }

func (looking) alone(context.Context, func() (bool, error), func() error) error { return errLook }

// Facts asks the database what it is. It reads the version of the schema by
// itself: the tool that migrates would make its table where there is none.
func (s *Store) Facts(ctx context.Context) (Facts, error) {
	p, err := s.provider()
	if err != nil {
		return Facts{}, err
	}
	f, err := s.engine.facts(ctx)
	f.Newest = newest(p)
	return f, s.engine.explain(err)
}

// Bears returns ErrSchemaNewer with what to do when this program must not touch
// a database with these facts.
func (s *Store) Bears(f Facts) error { return s.bears(f.Schema, f.Newest) }

// PurposeAt is Purpose for a database whose facts are known.
func (s *Store) PurposeAt(ctx context.Context, f Facts) (Purpose, error) {
	return s.purposeAt(ctx, f.Schema)
}
