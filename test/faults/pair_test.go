package faults

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"portico/internal/testform"
)

// pair is two PostgreSQL servers. One follows the other and confirms each
// commit before it is acknowledged.
type pair struct {
	*household
	servers [2]*follower
}

// follower is one of the two servers.
type follower struct {
	*household
	*daemon
	name, port string
}

func newPair(t *testing.T) *pair {
	t.Helper()
	if os.Getenv("POSTGRES_BIN") == "" {
		t.Skip("there is no PostgreSQL: run it as 'tools/postgres run -- go test ...', as 'make ci' does")
	}
	h := newHousehold(t)
	p := &pair{household: h}
	for i, name := range []string{"a", "b"} {
		p.servers[i] = &follower{household: h, name: name, port: h.port()}
	}
	a, b := p.servers[0], p.servers[1]
	h.do(bin("initdb"), "--pgdata="+a.name, "--username=postgres", "--auth=trust", "--encoding=UTF8", "--locale=C.UTF-8", "--no-sync")
	h.write(filepath.Join(a.name, "postgresql.conf"), strings.Join([]string{"listen_addresses = '127.0.0.1'",
		"unix_socket_directories = ''", "fsync = off", "dynamic_shared_memory_type = mmap", "shared_buffers = 32MB", "max_connections = 80", "max_wal_senders = 4", "wal_keep_size = 256MB", ""}, "\n"))
	a.up()
	a.exec("postgres", "CREATE DATABASE portico")
	h.do(bin("pg_basebackup"), "--pgdata="+b.name, "--host=127.0.0.1", "--port="+a.port, "--username=postgres", "--checkpoint=fast", "--no-sync")
	b.follows(a)
	return p
}

func bin(program string) string { return filepath.Join(os.Getenv("POSTGRES_BIN"), program) }

func (f *follower) up() {
	f.Helper()
	f.Cleanup(func() { f.unshared(f.name) }) // after the server has ended
	f.daemon = f.start(f.name, bin("postgres"), "-D", f.path(f.name), "-p", f.port)
	if !eventually(testform.Patience, func() bool { return f.command(bin("pg_isready"), "-q", "-h", "127.0.0.1", "-p", f.port).Run() == nil }) {
		text, _ := os.ReadFile(f.path(f.name + ".log"))
		f.Fatalf("%s does not start:\n%s", f.name, text)
	}
}

func (f *follower) url(database string) string {
	return "postgres://postgres@" + loopback(f.port) + "/" + database + "?sslmode=disable"
}

// exec runs statements one by one and returns the last value.
func (f *follower) exec(database string, statements ...string) (value any) {
	f.Helper()
	conn, err := pgx.Connect(f.Context(), f.url(database))
	if err != nil {
		f.Fatal(err)
	}
	defer conn.Close(f.Context())
	for _, text := range statements {
		rows, err := conn.Query(f.Context(), text, pgx.QueryExecModeSimpleProtocol)
		if err != nil {
			f.Fatalf("%s: %v", text, err)
		}
		for rows.Next() {
			if values, err := rows.Values(); err == nil && len(values) > 0 {
				value = values[0]
			}
		}
		if rows.Err() != nil {
			f.Fatalf("%s: %v", text, rows.Err())
		}
	}
	return value
}

// follows starts a server as the standby of another, which from then on waits
// for it in each commit.
func (f *follower) follows(other *follower) {
	f.Helper()
	f.write(filepath.Join(f.name, "standby.signal"), "")
	f.write(filepath.Join(f.name, "postgresql.auto.conf"), "primary_conninfo = 'host=127.0.0.1 port="+other.port+" user=postgres'\n")
	f.up()
	other.waitsFor("*")
	other.inStep(1)
}

// inStep waits until commits wait for a number of standbys.
func (f *follower) inStep(standbys int64) {
	f.Helper()
	const count = `SELECT COUNT(*) FROM pg_stat_replication WHERE sync_state = 'sync'`
	if !eventually(testform.Patience, func() bool { return f.exec("postgres", count) == standbys }) {
		f.Fatalf("commits of %s do not wait for %d standbys", f.name, standbys)
	}
}

// waitsFor sets the standby that commits wait for; "" for none.
func (f *follower) waitsFor(standby string) {
	f.Helper()
	f.exec("postgres", "ALTER SYSTEM SET synchronous_standby_names = '"+standby+"'", "SELECT pg_reload_conf()")
}

func (f *follower) promote() {
	f.Helper()
	f.waitsFor("")
	f.exec("postgres", "SELECT pg_promote()")
}

// addresses returns the addresses of the servers.
func (p *pair) addresses() []string {
	return []string{loopback(p.servers[0].port), loopback(p.servers[1].port)}
}
