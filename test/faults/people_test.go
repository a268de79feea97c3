package faults

import (
	"time"

	"github.com/ncruces/go-sqlite3"
	"github.com/ncruces/go-sqlite3/driver"

	"portico/internal/secret"
)

// model returns the address of a user who has registered.
func (p *place) model() string {
	p.Helper()
	r := p.serve()
	defer r.stop()
	b, model := p.browser(), fresh("model")
	b.register(model)
	b.close()
	return model
}

// populate creates n accounts with the password good, each with a session and
// an audit record. Their addresses are person1@x.test and so on.
func (p *place) populate(n int) {
	p.Helper()
	model := p.model()
	db, err := driver.Open("file:"+p.databaseFile()+"?_pragma=synchronous(off)&_pragma=cache_size(-200000)", func(c *sqlite3.Conn) error {
		return c.CreateFunction("token_hash", 1, sqlite3.DETERMINISTIC, func(ctx sqlite3.Context, arg ...sqlite3.Value) {
			ctx.ResultBlob(secret.Hash(token(arg[0].Int())))
		})
	})
	if err != nil {
		p.Fatal(err)
	}
	defer db.Close()
	db.SetMaxOpenConns(1)
	const numbers = `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?1) `
	now := time.Now().UnixMicro()
	for _, query := range []string{
		`INSERT INTO account (id, address, address_key, name, state, roles, password, version, created_at, address_at, locale, flow_ends, terms, terms_at, factor_told_at, alarm_at, alarm_mail_at, alarm_address_at) ` + numbers +
			`SELECT printf('p%012d', i), 'person' || i || '@x.test', 'person' || i || '@x.test', '', state, roles, password, 1, ?3, 0, '', 0, '', 0, 0, 0, 0, 0 FROM n, account WHERE address = ?2`,
		`INSERT INTO person (account_id, address_key, name_key, state, roles, factors, seen_at, created_at) ` + numbers +
			`SELECT printf('p%012d', i), CAST('person' || i || '@x.test' AS BLOB), x'', 'active', '[]', 0, 0, ?3 FROM n WHERE ?2 <> ''`,
		`INSERT INTO session (id, token_hash, account_id, version, methods, user_agent, created_at, authenticated_at, last_seen_at, expires_at, peer, strong_at) ` + numbers +
			`SELECT printf('s%012d', i), token_hash(i), printf('p%012d', i), 1, '["password"]', '', ?3, ?3, ?3, ?3 + 86400000000, '', 0 FROM n WHERE ?2 <> ''`,
		`INSERT INTO audit (id, at, name, account_id, actor, peer, user_agent, request_id, detail) ` + numbers +
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
