package main

import (
	"context"
	"fmt"
)

// engine is a database engine of the product. The rows take one as a parameter.
type engine interface {
	name() string
	// about returns the version and the settings that affect a figure.
	about(ctx context.Context) string
	// create makes an empty database. It returns its URL for the product, and a
	// function that deletes it.
	create(ctx context.Context, dir string) (url string, drop func() error, err error)
	// run executes statements one after the other.
	run(ctx context.Context, url string, statements ...string) error
	// fill inserts many rows into a table by one statement, and gathers statistics.
	fill(ctx context.Context, url, table, statement string) error
	// load fills a migrated database with accounts.
	load(ctx context.Context, url string, p people) error
	// lookup opens the database for the one indexed read of a session check,
	// with the product's driver and settings.
	lookup(ctx context.Context, url string) (lookup, error)
	// large is the number of accounts in a large installation.
	large(s scale) int
}

// lookup finds a session by the hash of its token.
type lookup func(hash []byte) scanner

type scanner interface{ Scan(dest ...any) error }

// engineNamed returns an engine for lookups, which create no databases.
func engineNamed(name string) (engine, error) {
	for _, e := range []engine{sqliteEngine{}, postgresEngine{}} {
		if e.name() == name {
			return e, nil
		}
	}
	return nil, fmt.Errorf("there is no engine %q", name)
}

// byHash selects exactly the columns of a session check. The placeholder is the
// engine's.
func byHash(placeholder string) string {
	return `SELECT s.id, s.created_at, s.authenticated_at, s.expires_at, s.last_seen_at, s.methods, a.id, a.address, a.name, a.roles
		FROM session s JOIN account a ON a.id = s.account_id AND a.version = s.version
		WHERE s.token_hash = ` + placeholder + ` AND a.state = 'active'`
}

// life is the validity of sessions, in microseconds.
const life = 30 * 24 * 60 * 60 * 1_000_000
