package faults

import (
	"fmt"
	"strings"
	"syscall"
	"testing"

	"github.com/jackc/pgx/v5"

	"portico/internal/testform"
)

// population is the number of rows that a test loads.
type population struct{ accounts, sessions, records int }

func populationOf(accounts int) population { return population{accounts, 3 * accounts, 10 * accounts} }

// room returns the bytes that a server needs for the rows and for sorting them.
func (c population) room() int64 { return 6500 * int64(c.accounts) }

// largest returns the population of FLT-23, or as much of it as fits into a
// folder. With less than a tenth of it, the test is skipped.
func largest(t *testing.T, folder string) population {
	t.Helper()
	var disk syscall.Statfs_t
	if err := syscall.Statfs(folder, &disk); err != nil {
		t.Fatal(err)
	}
	free := int64(disk.Bavail) * int64(disk.Bsize)
	for _, accounts := range []int{10_000_000, 5_000_000, 2_000_000, 1_000_000} {
		c := populationOf(accounts)
		if c.room() < free {
			t.Logf("FLT-23: %d accounts, %d sessions, %d records: they need %d GB of the %d that are free in %s",
				c.accounts, c.sessions, c.records, c.room()/1e9, free/1e9, folder)
			return c
		}
	}
	t.Skipf("%d GB are free in %s (TMPDIR names another place): the smallest useful population, %d accounts, needs %d",
		free/1e9, folder, 1_000_000, populationOf(1_000_000).room()/1e9)
	return population{}
}

// token returns the token of session n. It has the form of a real one, which
// ends in unused bits.
func token(n int) string { return fmt.Sprintf("%042dA", n) }

// connectTo returns a connection as superuser.
func (p *place) connectTo(url string) *pgx.Conn {
	p.Helper()
	conn, err := pgx.Connect(p.Context(), url)
	if err != nil {
		p.Fatal(err)
	}
	return conn
}

// warm reads the tables and indexes of lookups. A server of the size that
// docs/operating/scaling.md asks for has them in memory.
func (p *place) warm(url string) {
	p.Helper()
	conn := p.connectTo(url)
	defer conn.Close(p.Context())
	var pages int64
	_, err := conn.Exec(p.Context(), `CHECKPOINT`)
	syscall.Sync() // the loading ends when the data are on the disk
	if err == nil {
		_, err = conn.Exec(p.Context(), `CREATE EXTENSION pg_prewarm`)
	}
	if err == nil {
		err = conn.QueryRow(p.Context(), `SELECT sum(pg_prewarm(c.oid, 'read')) FROM pg_class c LEFT JOIN pg_index i ON i.indexrelid = c.oid
			WHERE coalesce(i.indrelid, c.oid) IN ('account'::regclass, 'session'::regclass)`).Scan(&pages)
	}
	if err != nil {
		p.Fatal(err)
	}
	p.Logf("FLT-23: accounts, sessions and their indexes: %d MB", pages*8192/1e6)
}

// bytes prints the size of the rows on the disk.
func (p *place) bytes(url string, c population) {
	p.Helper()
	conn := p.connectTo(url)
	defer conn.Close(p.Context())
	for table, rows := range map[string]int{"account": c.accounts, "session": c.sessions, "audit_default": c.records} {
		var data, indexes int
		if err := conn.QueryRow(p.Context(), `SELECT pg_table_size($1::text::regclass), pg_indexes_size($1::text::regclass)`, table).Scan(&data, &indexes); err != nil {
			p.Fatal(err)
		}
		p.Logf("FLT-23: a row of %s: %d bytes, %d of indexes", table, data/rows, indexes/rows)
	}
}

// readWhole returns how often each large table was read completely so far.
// PostgreSQL counts a connection at the latest when it ends.
func (p *place) readWhole(url string) string {
	p.Helper()
	conn := p.connectTo(url)
	defer conn.Close(p.Context())
	if !eventually(testform.Patience, func() (alone bool) {
		err := conn.QueryRow(p.Context(), `SELECT count(*) = 1 FROM pg_stat_activity WHERE datname = current_database() AND backend_type = 'client backend'`).Scan(&alone)
		return err == nil && alone
	}) {
		p.Error("another client uses the database")
	}
	rows, _ := conn.Query(p.Context(), `SELECT relname || ' ' || seq_scan FROM pg_stat_user_tables WHERE relname IN ('account', 'session', 'audit_default') ORDER BY relname`)
	lines, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil || len(lines) != 3 {
		p.Fatal(lines, err)
	}
	return strings.Join(lines, ", ")
}
