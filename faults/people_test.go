package faults

import (
	"database/sql"
	"time"

	"github.com/jackc/pgx/v5"
)

// model returns the address of somebody who has registered.
func (p *place) model() string {
	p.Helper()
	r := p.serve()
	defer r.stop()
	b, model := p.browser(), fresh("model")
	b.register(model)
	b.close()
	return model
}

// populatePostgres does what populate does, with sessions and records for a
// million at most.
func (p *place) populatePostgres(url string, n int) {
	p.Helper()
	model := p.model()
	conn, err := pgx.Connect(p.Context(), url)
	if err != nil {
		p.Fatal(err)
	}
	defer conn.Close(p.Context())
	now, few := time.Now().UnixMicro(), min(n, 1_000_000)
	for _, step := range []struct {
		query string
		args  []any
	}{
		{`INSERT INTO account (id, address, address_key, name, state, roles, password, version, created_at)
			SELECT 'p' || lpad(i::text, 12, '0'), 'person' || i || '@x.test', 'person' || i || '@x.test', '', state, roles, password, 1, $3
			FROM generate_series(1, $1::int) i, account WHERE address = $2`, []any{n, model, now}},
		{`INSERT INTO session (id, token_hash, account_id, version, methods, browser, created_at, authenticated_at, last_seen_at, expires_at)
			SELECT 's' || lpad(i::text, 12, '0'), sha256(convert_to('s' || i, 'UTF8')), 'p' || lpad(i::text, 12, '0'), 1, '["password"]', '', $2, $2, $2, $2::bigint + 86400000000
			FROM generate_series(1, $1::int) i`, []any{few, now}},
		{`INSERT INTO audit (id, at, name, account_id, actor, peer, browser, request_id, detail)
			SELECT w || lpad(i::text, 12, '0'), $2, w, 'p' || lpad(i::text, 12, '0'), 'self', '', '', '', ''
			FROM generate_series(1, $1::int) i, (VALUES ('signed_up'), ('signed_in')) v (w)`, []any{few, now}},
		{`ANALYZE`, nil},
	} {
		if _, err := conn.Exec(p.Context(), step.query, step.args...); err != nil {
			p.Fatalf("%s: %v", step.query, err)
		}
	}
}

// populate fills the installation with accounts whose password is good, each
// with a session and its record; their addresses are person1@x.test and so on.
func (p *place) populate(n int) {
	p.Helper()
	model := p.model()
	db, err := sql.Open("sqlite3", "file:"+p.databaseFile()+"?_pragma=synchronous(off)&_pragma=cache_size(-200000)")
	if err != nil {
		p.Fatal(err)
	}
	defer db.Close()
	db.SetMaxOpenConns(1)
	const numbers = `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?1) `
	now := time.Now().UnixMicro()
	for _, query := range []string{
		`INSERT INTO account (id, address, address_key, name, state, roles, password, version, created_at) ` + numbers +
			`SELECT printf('p%012d', i), 'person' || i || '@x.test', 'person' || i || '@x.test', '', state, roles, password, 1, ?3 FROM n, account WHERE address = ?2`,
		`INSERT INTO session (id, token_hash, account_id, version, methods, browser, created_at, authenticated_at, last_seen_at, expires_at) ` + numbers +
			`SELECT printf('s%012d', i), randomblob(32), printf('p%012d', i), 1, '["password"]', '', ?3, ?3, ?3, ?3 + 86400000000 FROM n WHERE ?2 <> ''`,
		`INSERT INTO audit (id, at, name, account_id, actor, peer, browser, request_id, detail) ` + numbers +
			`SELECT w.column1 || printf('%012d', i), ?3, w.column1, printf('p%012d', i), 'self', '', '', '', '' FROM n, (VALUES ('signed_up'), ('signed_in')) w WHERE ?2 <> ''`,
		`PRAGMA wal_checkpoint(TRUNCATE)`,
	} {
		args := []any{n, model, now}
		if query[0] == 'P' {
			args = nil
		}
		if _, err := db.Exec(query, args...); err != nil {
			p.Fatalf("%s: %v", query, err)
		}
	}
}
