package faults

import (
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
)

// chrome is the longest part of a session and of a record.
const chrome = `'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36'`

// identifier returns the SQL of a random identifier for a number and a kind.
// Hexadecimal digits are in the alphabet of internal/ids. A cryptographic hash
// would take longer than the rest of the row.
func identifier(number string, kind int) string {
	return fmt.Sprintf(`encode(int8send(hashint8extended(%[1]s, %[2]d)) || int4send(hashint8((%[1]s) # %[2]d)), 'hex') || '00'`, number, kind)
}

// Row n of each kind, in the order of creation, for accounts in random order.
// Some sessions have ended. Nothing may be deleted yet, so that only the size
// differs.
var (
	insertAccounts = `INSERT INTO account (id, address, address_key, name, state, roles, password, version, created_at, address_at, locale, flow_ends, terms, terms_at, factor_told_at, alarm_at, alarm_mail_at, alarm_address_at)
		SELECT ` + identifier("n", 1) + `, 'person' || n || '@x.test', 'person' || n || '@x.test', 'Person ' || n, $2, $3, $4, 1, $5, 0, '', 0, '', 0, 0, 0, 0, 0
		FROM (SELECT generate_series(1, $1::bigint) n) numbers`
	insertPeople = `INSERT INTO person (account_id, address_key, name_key, state, roles, factors, seen_at, created_at)
		SELECT ` + identifier("n", 1) + `, convert_to('person' || n || '@x.test', 'UTF8'), convert_to('person ' || n, 'UTF8'), $2, $3, 0, 0, $4
		FROM (SELECT generate_series(1, $1::bigint) n) numbers`
	insertSessions = `INSERT INTO session (id, token_hash, account_id, version, methods, user_agent, created_at, authenticated_at, last_seen_at, expires_at, peer, strong_at)
		SELECT ` + identifier("n", 2) + `, sha256(convert_to(lpad(n::text, 42, '0') || 'A', 'UTF8')), ` + identifier("1 + n * 7919 % $2::bigint", 1) + `,
			1, '["password"]', ` + chrome + `, made, made, greatest(made, $4::bigint - n % 86400 * 1000000), made + 30 * 86400000000, '', 0
		FROM (SELECT n, $4::bigint - ($1::bigint - n) * $3::bigint made FROM (SELECT generate_series(1, $1::bigint) n) numbers) rows`
	insertRecords = `INSERT INTO audit (id, at, name, account_id, actor, peer, user_agent, request_id, detail)
		SELECT ` + identifier("n", 3) + `, $4::bigint - ($1::bigint - n) * $3::bigint, 'signed_in', ` + identifier("1 + n * 7919 % $2::bigint", 1) + `,
			'self', '203.0.113.250', ` + chrome + `, ` + identifier("n", 4) + `, ''
		FROM (SELECT generate_series(1, $1::bigint) n) numbers`
)

// gather fills a database over two connections. All audit records are in one partition.
func (p *place) gather(url string, c population) {
	p.Helper()
	model, began, now := p.model(), time.Now(), time.Now().UnixMicro()
	people, facts := loader{p.connectTo(url), p.T}, loader{p.connectTo(url), p.T}
	defer people.conn.Close(p.Context())
	defer facts.conn.Close(p.Context())
	var state, roles, password string
	if err := people.conn.QueryRow(p.Context(), `SELECT state, roles, password FROM account WHERE address = $1`, model).Scan(&state, &roles, &password); err != nil {
		p.Fatal(err)
	}
	every := func(span time.Duration, rows int) int64 { return span.Microseconds() / int64(rows) }
	const day = 24 * time.Hour
	left := make(chan string, 10) // indexes that both connections build
	var both sync.WaitGroup
	both.Go(func() {
		facts.fill("audit_default", insert{insertRecords, []any{c.records, c.accounts, every(399*day, c.records), now}})
		for _, index := range facts.indexes("audit_default") {
			left <- index
		}
		close(left)
		facts.build(left)
	})
	both.Go(func() {
		people.fill("identity, account, session, person", insert{insertAccounts, []any{c.accounts, state, roles, password, now}},
			insert{insertPeople, []any{c.accounts, state, roles, now}},
			insert{insertSessions, []any{c.sessions, c.accounts, every(30*day+12*time.Hour, c.sessions), now}})
		for _, index := range people.indexes("identity, account, session, person") {
			people.reindex(index)
		}
		people.build(left)
	})
	both.Wait()
	people.exec("ANALYZE")
	if p.Failed() {
		p.FailNow()
	}
	p.Logf("FLT-23: %d rows loaded in %v", c.accounts+c.sessions+c.records, time.Since(began).Round(time.Second))
}

// loader fills tables as fast as the server can.
type loader struct {
	conn *pgx.Conn
	t    *testing.T
}

type insert struct {
	query string
	args  []any
}

func (l loader) exec(query string, args ...any) {
	if _, err := l.conn.Exec(l.t.Context(), query, args...); err != nil {
		l.t.Errorf("%.200s: %v", query, err)
	}
}

// ofTables selects the indexes of tables.
const ofTables = ` WHERE indrelid = ANY (string_to_array($1, ', ')::regclass[])`

// fill empties tables, with the tables that refer to them, and inserts rows, in one transaction. A server with
// wal_level=minimal then writes no log. Foreign keys are not checked. The
// indexes are marked as not ready and built at the end.
func (l loader) fill(tables string, inserts ...insert) {
	began := time.Now()
	l.exec("SET session_replication_role = replica")
	l.exec("BEGIN")
	l.exec("TRUNCATE " + tables + " CASCADE")
	l.exec("UPDATE pg_index SET indisready = false"+ofTables, tables)
	for _, i := range inserts {
		l.exec(i.query, i.args...)
	}
	l.exec("COMMIT")
	l.t.Logf("%s: filled in %v", tables, time.Since(began).Round(time.Second))
}

func (l loader) indexes(tables string) []string {
	rows, _ := l.conn.Query(l.t.Context(), "SELECT indexrelid::regclass::text FROM pg_index"+ofTables, tables)
	names, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil || len(names) == 0 {
		l.t.Errorf("the indexes of %s: %v", tables, err)
	}
	return names
}

func (l loader) build(indexes <-chan string) {
	for index := range indexes {
		l.reindex(index)
	}
}

func (l loader) reindex(index string) {
	began := time.Now()
	l.exec("SET maintenance_work_mem = '1GB'")
	l.exec("REINDEX INDEX " + index)
	l.t.Logf("%s: built in %v", index, time.Since(began).Round(time.Second))
}
