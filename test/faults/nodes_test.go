package faults

import (
	"fmt"
	"io"
	"net/http"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	leases "portico/internal/cluster"
	"portico/internal/secret"
)

// A node with another key is refused. A node with other settings is reported by
// all nodes, with the names of the settings, until the settings match.
func TestFLT22_NodesDiffer(t *testing.T) {
	announce(t)
	t.Parallel()
	c := newCluster(t, onEmptyPostgres(t), 2)
	first := c.nodes[0].serve()
	me := c.nodes[0].browser()
	me.register(fresh("me"))

	key := filepath.Join(t.TempDir(), "other.key")
	if _, err := secret.CreateKey(key); err != nil {
		t.Fatal(err)
	}
	stranger := *c.nodes[1]
	stranger.extra = append(stranger.extra[:len(stranger.extra):len(stranger.extra)], "PORTICO_SECRET_FILE="+key)
	if out := stranger.refuses(); !strings.Contains(out, "is not the one that this database was made with") {
		t.Errorf("with another key it prints %s", out)
	}

	other := *c.nodes[1]
	other.extra = append(other.extra[:len(other.extra):len(other.extra)],
		"PORTICO_PUBLIC_URL=http://localhost:1", "PORTICO_SESSION_IDLE=1h", "PORTICO_LOG_LEVEL=debug", "PORTICO_HASHING_QUEUE=7")
	second := other.serve()
	const settings = `"settings":"public_url, session.idle"`
	began := time.Now()
	for _, r := range []*process{first, second} {
		if !eventually(time.Minute, func() bool { return strings.Contains(r.log.String(), settings) }) {
			t.Errorf("a node does not name the settings:\n%s", r.log)
		}
	}
	told := time.Since(began)
	if n := c.nodes[0].figure("portico_node_settings_different"); n != "2" {
		t.Errorf("the metric of differing settings is %s, want 2", n)
	}
	if !me.whoami() {
		t.Error("the nodes do not serve anymore")
	}
	second.stop()
	c.nodes[1].serve()
	if !eventually(time.Minute, func() bool { return strings.Contains(first.log.String(), "all nodes have the same settings again") }) {
		t.Errorf("it does not report that the settings match again:\n%s", first.log)
	}
	t.Logf("FLT-22: another key is refused; other settings are named by both nodes after %v", told.Round(time.Second))
}

// figure returns the value of a metric without labels.
func (p *place) figure(name string) string {
	p.Helper()
	resp, err := http.Get("http://" + p.ops + "/metrics")
	if err != nil {
		p.Fatal(err)
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	if err != nil {
		p.Fatal(err)
	}
	return strings.TrimSpace(between(string(text), "\n"+name+" ", "\n"))
}

// The holder of the background lease is stopped for longer than the lease.
// Another node takes the lease once, and keeps it when the first one continues.
// Expired rows are deleted all the time.
func TestFLT22_HolderStandsStill(t *testing.T) {
	announce(t)
	t.Parallel()
	if !full() {
		t.Skip("a lease takes half a minute; internal/app tests the same with a fake clock")
	}
	c := newCluster(t, onEmptyPostgres(t), 3)
	var all []*process
	for _, n := range c.nodes {
		all = append(all, n.serve())
	}
	watch := c.connect()
	holder := func() (owner string, beat int) {
		if err := watch.QueryRow(t.Context(), `SELECT owner, beat FROM lease WHERE name = 'tidying'`).Scan(&owner, &beat); err != nil {
			return "", 0
		}
		return owner, beat
	}
	if !eventually(2*leases.LeaseBeat, func() bool { owner, _ := holder(); return owner != "" }) {
		t.Fatal("no node takes the lease")
	}
	first, _ := holder()
	frozen := standsStill(t, all, func() int { _, beat := holder(); return beat })
	began := time.Now()
	if !eventually(2*leases.LeaseFree, func() bool { owner, _ := holder(); return owner != first }) {
		t.Fatal("no node takes the lease from a stopped node")
	}
	taken := time.Since(began)
	next, _ := holder()
	c.exec(watch, fmt.Sprintf(`INSERT INTO throttle (key, attempts, last_at, forget_at) VALUES ('old', 1, 1, %d)`, 1))
	if err := frozen.cmd.Process.Signal(syscall.SIGCONT); err != nil {
		t.Fatal(err)
	}
	deleted := eventually(90*time.Second, func() bool {
		if owner, _ := holder(); owner != next {
			t.Errorf("the lease goes from %s to %s when the first node continues", next, owner)
		}
		return c.count(`SELECT COUNT(*) FROM throttle WHERE key = 'old'`) == 0
	})
	if !deleted {
		t.Error("expired rows are not deleted")
	}
	t.Logf("FLT-22: another node does the background work %v after its holder was known to be stopped, and keeps it", taken.Round(time.Second))
}

// standsStill stops one node after the other until beat no longer changes. It
// returns that node, which stays stopped.
func standsStill(t *testing.T, all []*process, beat func() int) *process {
	t.Helper()
	for _, r := range all {
		if err := r.cmd.Process.Signal(syscall.SIGSTOP); err != nil {
			t.Fatal(err)
		}
		before := beat()
		if !eventually(leases.LeaseBeat+5*time.Second, func() bool { return beat() != before }) {
			return r
		}
		if err := r.cmd.Process.Signal(syscall.SIGCONT); err != nil {
			t.Fatal(err)
		}
	}
	t.Fatal("the beat is of no node")
	return nil
}
