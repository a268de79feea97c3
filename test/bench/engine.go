package main

import (
	"context"
	"fmt"
)

// engine is a database engine that the product runs on. The rows take one as a
// parameter.
type engine interface {
	name() string
	// about tells version and settings that matter to a figure.
	about(ctx context.Context) string
	// create makes an empty database and returns its URL, as the product takes
	// it, and what deletes it again.
	create(ctx context.Context, dir string) (url string, drop func() error, err error)
	// load fills a migrated database with people.
	load(ctx context.Context, url string, p people) error
	// lookup opens the database for the one indexed read behind a session
	// check, with the driver that the product uses and set up as it does.
	lookup(ctx context.Context, url string) (lookup, error)
	// large is the number of people in a large installation.
	large(s scale) int
}

// lookup finds a session by the hash of its token.
type lookup func(hash []byte) scanner

type scanner interface{ Scan(dest ...any) error }

// engineNamed returns an engine for lookups, which need no server to make
// databases on.
func engineNamed(name string) (engine, error) {
	for _, e := range []engine{sqliteEngine{}, postgresEngine{}} {
		if e.name() == name {
			return e, nil
		}
	}
	return nil, fmt.Errorf("there is no engine %q", name)
}

// byHash reads what the answer to a session check holds, and no more. The
// placeholder is the engine's.
func byHash(placeholder string) string {
	return `SELECT s.id, s.created_at, s.authenticated_at, s.expires_at, s.last_seen_at, s.methods, a.id, a.address, a.name, a.roles
		FROM session s JOIN account a ON a.id = s.account_id AND a.version = s.version
		WHERE s.token_hash = ` + placeholder + ` AND a.state = 'active'`
}

// life is how long the sessions of people last, in microseconds.
const life = 30 * 24 * 60 * 60 * 1_000_000
