package faults

import (
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
)

// patroni is three PostgreSQL servers under Patroni, with HAProxy and PgBouncer
// in front, as docs/operating/failover.md shows them.
type patroni struct {
	*household
	servers   [3]*member
	haproxy   string // addresses
	pgbouncer string
}

// member is one of the servers.
type member struct {
	*household
	*daemon
	name, port, rest string
}

func newPatroni(t *testing.T) *patroni {
	t.Helper()
	if os.Getenv("POSTGRES_BIN") == "" {
		t.Skip("there is no PostgreSQL: run it as 'make faults' does")
	}
	if out, err := exec.Command("../../tools/failover").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	p := &patroni{household: newHousehold(t)}
	etcd, peers := loopback(p.port()), "http://"+loopback(p.port())
	p.start("etcd", "etcd", "--data-dir", p.path("etcd"), "--listen-client-urls", "http://"+etcd, "--advertise-client-urls", "http://"+etcd,
		"--listen-peer-urls", peers, "--initial-advertise-peer-urls", peers, "--initial-cluster", "default="+peers, "--unsafe-no-fsync")
	p.listens("etcd", etcd)
	for i := range p.servers {
		m := &member{household: p.household, name: fmt.Sprintf("n%d", i+1), port: p.port(), rest: loopback(p.port())}
		p.servers[i] = m
		m.write(m.name+".yml", m.settings(etcd))
		t.Cleanup(func() { m.kill(); m.unshared(m.name) })
		m.join()
		if i == 0 && !eventually(2*time.Minute, func() bool { return m.is("primary") }) {
			m.blame()
		}
	}
	for _, m := range p.servers[1:] {
		if !eventually(2*time.Minute, func() bool { return m.is("replica") }) {
			m.blame()
		}
	}
	p.haproxy, p.pgbouncer = loopback(p.port()), loopback(p.port())
	p.start("haproxy", "/usr/sbin/haproxy", "-db", "-f", p.write("haproxy.cfg", p.balance()))
	p.listens("haproxy", p.haproxy)
	p.write("users.txt", "\"postgres\" \"\"\n")
	// PgBouncer 1.18 ends when statements are canceled while its server is away
	// (pgbouncer#801). The loop restarts it, as a supervisor does.
	p.start("pgbouncer", "/bin/sh", "-c", `while :; do /usr/sbin/pgbouncer "$0"; sleep 1; done`, p.write("pgbouncer.ini", p.pool()))
	p.listens("pgbouncer", p.pgbouncer)
	return p
}

// settings returns the configuration of one Patroni. docs/operating/failover.md
// shows a part of it to operators; the rest is for the test.
func (m *member) settings(etcd string) string {
	return strings.NewReplacer("NAME", m.name, "REST", m.rest, "ETCD", etcd, "LISTEN", loopback(m.port), "DIR", m.dir, "BIN", os.Getenv("POSTGRES_BIN")).Replace(`
scope: portico
name: NAME
restapi: {listen: "REST", connect_address: "REST"}
etcd3: {host: "ETCD"}
bootstrap:
  dcs:
    ttl: 20
    loop_wait: 2
    retry_timeout: 5
    synchronous_mode: true
    postgresql:
      use_pg_rewind: true
      parameters: {max_connections: 200, shared_buffers: 32MB, wal_keep_size: 256MB, dynamic_shared_memory_type: mmap, fsync: "off"}
  initdb: [{encoding: UTF8}, {locale: C.UTF-8}, data-checksums]
  pg_hba: ["host all all 127.0.0.1/32 trust", "host replication all 127.0.0.1/32 trust", "local all all trust"]
postgresql:
  listen: "LISTEN"
  connect_address: "LISTEN"
  data_dir: "DIR/NAME"
  bin_dir: "BIN"
  pgpass: "DIR/NAME.pgpass"
  authentication: {superuser: {username: postgres, password: x}, replication: {username: follower, password: x}, rewind: {username: rewind, password: x}}
  parameters: {unix_socket_directories: "DIR"}
`)
}

// balance returns the configuration of HAProxy, which asks each Patroni whether
// its server takes writes.
func (p *patroni) balance() string {
	text := `
defaults
  mode tcp
  timeout connect 1s
  timeout client 30m
  timeout server 30m
listen primary
  bind ` + p.haproxy + `
  option httpchk GET /primary
  http-check expect status 200
  default-server inter 500ms fall 2 rise 1 on-marked-down shutdown-sessions
`
	for _, m := range p.servers {
		_, port, _ := strings.Cut(m.rest, ":")
		text += "  server " + m.name + " " + loopback(m.port) + " check port " + port + "\n"
	}
	return text
}

func (p *patroni) pool() string {
	to, port, _ := strings.Cut(p.haproxy, ":")
	_, own, _ := strings.Cut(p.pgbouncer, ":")
	return `
[databases]
* = host=` + to + ` port=` + port + `
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ` + own + `
auth_type = trust
auth_file = ` + p.path("users.txt") + `
unix_socket_dir =
pool_mode = transaction
max_client_conn = 500
default_pool_size = 20
server_login_retry = 1
`
}

// join starts a Patroni, which starts its PostgreSQL.
func (m *member) join() { m.daemon = m.start(m.name, "patroni", m.path(m.name+".yml")) }

// is reports whether a Patroni gives its server this role.
func (m *member) is(role string) bool {
	resp, err := http.Get("http://" + m.rest + "/" + role)
	if err != nil {
		return false
	}
	_ = resp.Body.Close()
	return resp.StatusCode == http.StatusOK
}

// holds reports whether a server has a database.
func (m *member) holds(database string) bool {
	conn, err := pgx.Connect(m.Context(), "postgres://postgres@"+loopback(m.port)+"/"+database+"?sslmode=disable")
	if err == nil {
		_ = conn.Close(m.Context())
	}
	return err == nil
}

func (m *member) blame() {
	m.Helper()
	text, _ := os.ReadFile(m.path(m.name + ".log"))
	m.Fatalf("%s does not get its role:\n%s", m.name, text)
}

// kill ends a Patroni and its PostgreSQL as the loss of their machine does.
func (m *member) kill() {
	if m.daemon != nil {
		m.end(syscall.SIGKILL)
	}
	text, _ := os.ReadFile(filepath.Join(m.path(m.name), "postmaster.pid"))
	first, _, _ := strings.Cut(string(text), "\n")
	if pid, err := strconv.Atoi(first); err == nil && m.owns(pid) {
		_ = syscall.Kill(pid, syscall.SIGKILL)
	}
}

// owns reports whether a process is the PostgreSQL of this member. The process
// id from a file may belong to another process now.
func (m *member) owns(pid int) bool {
	line, err := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", pid))
	return err == nil && strings.Contains(string(line), m.path(m.name))
}

// leader waits for the member that takes writes and returns it.
func (p *patroni) leader() (found *member) {
	p.Helper()
	if !eventually(time.Minute, func() bool {
		for _, m := range p.servers {
			if m.is("primary") {
				found = m
			}
		}
		return found != nil
	}) {
		p.Fatal("no server takes writes")
	}
	return found
}

// whole waits until two servers follow the leader, one of them synchronously.
func (p *patroni) whole() {
	p.Helper()
	if !eventually(2*time.Minute, func() bool {
		replicas, inStep := 0, 0
		for _, m := range p.servers {
			if m.is("replica") {
				replicas++
			}
			if m.is("synchronous") {
				inStep++
			}
		}
		return replicas == 2 && inStep == 1
	}) {
		p.Fatal("the cluster is not complete")
	}
}

// switchover lets Patroni hand over in order.
func (p *patroni) switchover() {
	p.Helper()
	m := p.leader()
	resp, err := http.Post("http://"+m.rest+"/switchover", "application/json", strings.NewReader(`{"leader": "`+m.name+`"}`))
	if err != nil {
		p.Fatal(err)
	}
	_ = resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		p.Fatalf("the switchover gets status %d", resp.StatusCode)
	}
}
