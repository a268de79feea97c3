package main

import (
	"context"
	"database/sql"
	"errors"
	"net/url"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	_ "github.com/ncruces/go-sqlite3/driver" // the product's driver

	"portico/internal/secret"
)

type sqliteEngine struct{}

func (sqliteEngine) name() string { return "SQLite" }

func (sqliteEngine) about(context.Context) string {
	return "SQLite, inside the product, which syncs every commit (synchronous=FULL)"
}

func (sqliteEngine) large(s scale) int { return s.large }

// create uses the folder, which the caller deletes.
func (sqliteEngine) create(_ context.Context, dir string) (string, func() error, error) {
	return "sqlite:" + filepath.Join(dir, "portico.db"), func() error { return nil }, nil
}

func (sqliteEngine) open(databaseURL string, pragmas ...string) (*sql.DB, error) {
	path := strings.TrimPrefix(databaseURL, "sqlite:")
	return sql.Open("sqlite3", "file:"+path+"?"+url.Values{"_pragma": pragmas}.Encode())
}

func (e sqliteEngine) run(ctx context.Context, databaseURL string, statements ...string) (err error) {
	db, err := e.open(databaseURL, "synchronous(off)", "cache_size(-180000)")
	for _, statement := range statements {
		if err == nil {
			_, err = db.ExecContext(ctx, statement)
		}
	}
	return errors.Join(err, db.Close())
}

// fill leaves out the indexes until the rows are there: 40 million rows in the order of an index that does not fit into
// the cache would take hours.
func (e sqliteEngine) fill(ctx context.Context, databaseURL, table, statement string) error {
	db, err := e.open(databaseURL)
	if err != nil {
		return err
	}
	rows, err := db.QueryContext(ctx, `SELECT 'DROP INDEX ' || name, sql FROM sqlite_schema WHERE type = 'index' AND tbl_name = ?1 AND sql <> ''`, table)
	if err != nil {
		return errors.Join(err, db.Close())
	}
	var before, after []string
	for rows.Next() && err == nil {
		var drop, create string
		err = rows.Scan(&drop, &create)
		before, after = append(before, drop), append(after, create)
	}
	if err = errors.Join(err, rows.Err(), db.Close()); err != nil {
		return err
	}
	// To sort for an index takes as much memory as the cache besides it.
	return e.run(ctx, databaseURL, slices.Concat([]string{"PRAGMA cache_size = -60000"}, before, []string{statement}, after, []string{"ANALYZE"})...)
}

func (e sqliteEngine) lookup(ctx context.Context, databaseURL string) (lookup, error) {
	db, err := e.open(databaseURL, "query_only(1)", "cache_size(-1000)")
	if err != nil {
		return nil, err
	}
	db.SetMaxOpenConns(max(4, runtime.NumCPU()))
	db.SetMaxIdleConns(max(4, runtime.NumCPU()))
	stmt, err := db.PrepareContext(ctx, byHash("?1"))
	// With a cancelable context the driver would start a watch for every read.
	still := context.WithoutCancel(ctx)
	return func(hash []byte) scanner { return stmt.QueryRowContext(still, hash) }, err
}

// load writes row by row, because SQLite has no hash function. It neither logs
// nor syncs: the data need not survive a power failure.
func (e sqliteEngine) load(ctx context.Context, databaseURL string, p people) (err error) {
	db, err := e.open(databaseURL, "journal_mode(off)", "synchronous(off)", "cache_size(-180000)")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	db.SetMaxOpenConns(1)
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	created := time.Now().UnixMicro()
	insertAccount, err := tx.PrepareContext(ctx, `INSERT INTO account (id, address, address_key, name, state, roles, password, version, created_at, address_at, locale, flow_ends, terms, terms_at, factor_told_at, alarm_at, alarm_mail_at, alarm_address_at)
		VALUES (?1, ?2, ?2, '', 'active', '[]', ?3, 1, ?4, 0, '', 0, '', 0, 0, 0, 0, 0)`)
	if err != nil {
		return err
	}
	insertSession, err := tx.PrepareContext(ctx, `INSERT INTO session (id, token_hash, account_id, version, methods, user_agent, created_at, authenticated_at, last_seen_at, expires_at, peer, strong_at)
		VALUES (?1, ?2, ?3, 1, '["password"]', '', ?4, ?4, ?4, ?5, '', 0)`)
	if err != nil {
		return err
	}
	insertPerson, err := tx.PrepareContext(ctx, `INSERT INTO person (account_id, address_key, name_key, state, roles, factors, seen_at, created_at)
		VALUES (?1, CAST(?2 AS BLOB), x'', 'active', '[]', 0, ?3, ?4)`)
	if err != nil {
		return err
	}
	for n := range p.count {
		if _, err := insertAccount.ExecContext(ctx, accountID(n), address(n), p.verifier, created); err != nil {
			return err
		}
		seen := int64(0)
		if n < p.sessions {
			seen = created
		}
		if _, err := insertPerson.ExecContext(ctx, accountID(n), address(n), seen, created); err != nil {
			return err
		}
	}
	for n := range p.sessions {
		if _, err := insertSession.ExecContext(ctx, sessionID(n), secret.Hash(token(n)), accountID(n), created, created+life); err != nil {
			return err
		}
	}
	return tx.Commit()
}
