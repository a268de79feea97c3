package main

import (
	"context"
	"database/sql"
	"fmt"
)

// engine is a database engine that the product runs on. The rows take one as a
// parameter.
type engine interface {
	name() string
	// create makes an empty database and returns its URL, as the product takes
	// it, and what deletes it again.
	create(ctx context.Context, dir string) (url string, drop func() error, err error)
	// load fills a migrated database with people.
	load(ctx context.Context, url string, p people) error
	// reader opens the database for lookups, with the driver that the product
	// uses and set up as it does.
	reader(url string) (*sql.DB, error)
	// byHash is the one indexed read behind a session check.
	byHash() string
	// large is the number of people in a large installation.
	large(s scale) int
}

func engineNamed(name string) (engine, error) {
	for _, e := range []engine{sqliteEngine{}} {
		if e.name() == name {
			return e, nil
		}
	}
	return nil, fmt.Errorf("there is no engine %q", name)
}

// byHash finds a session by the hash of its token, with the person. The
// placeholder is the engine's.
func byHash(placeholder string) string {
	return `SELECT s.id, s.created_at, s.expires_at, a.id, a.address, a.name
		FROM session s JOIN account a ON a.id = s.account_id AND a.version = s.version
		WHERE s.token_hash = ` + placeholder + ` AND a.state = 'active'`
}

// life is how long the sessions of people last, in microseconds.
const life = 30 * 24 * 60 * 60 * 1_000_000
