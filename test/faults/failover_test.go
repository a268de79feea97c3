package faults

import (
	"context"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"portico/internal/secret"
	"portico/internal/store/pgtest"
	"portico/internal/testform"
)

// failingOver returns two nodes whose database can fail over. They reach it at
// the addresses, each through a proxy that counts. The path past the proxies
// leads to the server that takes writes.
func failingOver(t *testing.T, database string, servers, ways []string) (*cluster, []*pgtest.Proxy) {
	t.Helper()
	var proxied []string
	var proxies []*pgtest.Proxy
	for _, way := range ways {
		proxy := pgtest.NewProxy(t, "postgres://postgres@"+way+"/"+database)
		proxies, proxied = append(proxies, proxy), append(proxied, between(proxy.URL(), "@", "/"))
	}
	rest := "/" + database + "?sslmode=disable"
	p := &onPostgres{past: "postgres://postgres@" + strings.Join(servers, ",") + rest + "&target_session_attrs=read-write"}
	p.place = newPlace(t, newSink(t), "PORTICO_DATABASE_URL=postgres://postgres@"+strings.Join(proxied, ",")+rest)
	if _, err := secret.CreateKey(filepath.Join(p.dir, "secret.key")); err != nil {
		t.Fatal(err)
	}
	c := newCluster(t, p, 2)
	for _, n := range c.nodes {
		n.serve()
	}
	return c, proxies
}

// begun returns the number of connections that were begun through the proxies.
func begun(proxies []*pgtest.Proxy) (all int) {
	for _, p := range proxies {
		all += p.Begun()
	}
	return all
}

// unopened fails if a node keeps connections to a server that is a standby now.
// A node may have one for a moment, to ask the server whether it takes writes.
func (c *cluster) unopened(server, database string) {
	c.Helper()
	conn, err := pgx.Connect(c.Context(), "postgres://postgres@"+server+"/"+database+"?sslmode=disable")
	if err != nil {
		c.Fatal(err)
	}
	defer conn.Close(context.Background())
	var standby bool
	var open int
	const query = `SELECT pg_is_in_recovery(), (SELECT COUNT(*) FROM pg_stat_activity WHERE application_name = 'portico' AND datname = current_database())`
	none := func() bool {
		err = conn.QueryRow(c.Context(), query).Scan(&standby, &open)
		return err != nil || standby && open == 0
	}
	if !eventually(testform.Patience, none) || err != nil {
		c.Errorf("the old server: standby %v, %d open connections, %v", standby, open, err)
	}
}

// failOver runs change, and waits until every node writes through the new
// server and is ready.
func (w *failoverUsers) failOver(name string, change func()) {
	w.Helper()
	began := time.Now()
	change()
	over := func() bool {
		_, to, changed := w.probe.change(began)
		for i := range w.nodes {
			changed = changed && w.wrote[i].after(to) && w.ready[i].after(to)
		}
		return changed
	}
	if !eventually(2*time.Minute, over) {
		w.Errorf("%s: the nodes do not write to a new server after two minutes", name)
		return
	}
	from, to, _ := w.probe.change(began)
	var wrote, ready time.Duration
	for i := range w.nodes {
		wrote = max(wrote, w.wrote[i].next(to).Sub(to))
		ready = max(ready, w.ready[i].next(to).Sub(to))
		if gone, back := w.ready[i].gap(began); back.Sub(gone) < to.Sub(from)/2 {
			w.Errorf("%s: a node says that it is ready while its database is away", name)
		}
	}
	w.Logf("%s: no server took writes for %v; all nodes wrote %v after that, and were ready after %v", name,
		to.Sub(from).Round(time.Millisecond), wrote.Round(time.Millisecond), ready.Round(time.Millisecond))
	if max(wrote, ready) > testform.Limit(5*time.Second) {
		w.Errorf("%s: the nodes came back %v after their database", name, max(wrote, ready))
	}
}

// checkAccounts fails unless each acknowledged registration is stored once.
func (w *failoverUsers) checkAccounts(name string) {
	w.Helper()
	conn := w.connect()
	for address, sessions := range w.names {
		const query = `SELECT (SELECT COUNT(*) FROM account WHERE address_key = $1), (SELECT COUNT(*) FROM session s JOIN account a ON a.id = s.account_id WHERE a.address_key = $1)`
		var accounts, open int
		if err := conn.QueryRow(w.Context(), query, address).Scan(&accounts, &open); err != nil {
			w.Fatal(err)
		}
		if accounts != 1 || open != sessions {
			w.Errorf("%s has %d accounts and %d sessions, want 1 and %d", address, accounts, open, sessions)
		}
	}
	// A machine that is busy with other tests delays every answer.
	if w.latest > w.slowestCached {
		w.Errorf("an answer came %v too late; the slowest without a database took %v", w.latest, w.slowestCached)
	}
	w.once()
	most, which := w.mail.repeats()
	if most > 2 {
		w.Errorf("an email came %d times: %s", most, which)
	}
	w.Logf("%s: %d registered, each once; %d answers of 503, the slowest after %v; %d checks of cached sessions, the slowest %v; no email more than %d times",
		name, len(w.names), w.refused.Load(), w.slowest.Round(time.Millisecond), w.cached.Load(), w.slowestCached.Round(time.Millisecond), most)
}

// The server that takes writes changes. Once it hands over in order and becomes
// the standby of the other server. Once it is killed.
func TestFLT05_FailoverOfTwo(t *testing.T) {
	announce(t)
	measures(t)
	p := newPair(t)
	a, b := p.servers[0], p.servers[1]
	c, proxies := failingOver(t, "portico", p.addresses(), p.addresses())
	w := c.startUsers()
	w.failOver("FLT-05: in order", func() {
		a.end(syscall.SIGINT)
		b.promote()
	})
	a.follows(b)
	c.unopened(loopback(a.port), "portico")
	before := proxies[1].Begun()
	began := time.Now()
	w.failOver("FLT-05: killed", func() {
		b.end(syscall.SIGKILL)
		time.Sleep(time.Second) // the time in which an operator decides
		a.promote()
	})
	span := int(time.Since(began)/time.Second) + 1
	if n, limit := proxies[1].Begun()-before, len(c.nodes)*(span+10+4); n > limit {
		t.Errorf("%d connections were begun to a dead server in %d s, at most %d may be", n, span, limit)
	}
	w.end()
	w.checkAccounts("FLT-05")
	var out string
	if !eventually(testform.Patience, func() bool { // a node looks every five seconds
		out = c.nodes[0].command("doctor")
		return !strings.Contains(out, "finish-restore")
	}) {
		t.Errorf("the failover is taken for a restore: %s", out)
	}
}

// The standby that each commit waits for is away. A failover could undo an
// unconfirmed commit, so no client may be told that it succeeded.
func TestFLT06_StandbyAway(t *testing.T) {
	announce(t)
	t.Parallel()
	p := newPair(t)
	c, _ := failingOver(t, "portico", p.addresses(), p.addresses())
	b, signup := c.nodes[0].browser(), map[string]string{"email": fresh("v"), "password": good, "confirm_password": good}
	b.must("signup", signup)
	p.servers[0].waitsFor("nobody")
	p.servers[0].inStep(0)
	b.unavailable("POST", "/auth/api/forgot-password", map[string]string{"email": fresh("v")})
	p.servers[0].waitsFor("*")
	p.servers[0].inStep(1)
	b.must("signup", signup)
	c.once()
}

// Patroni hands over in order, and once because a machine is lost, which then
// comes back. The nodes reach the writable server in each of the ways that
// docs/operating/failover.md shows.
func TestFLT05_FailoverOfPatroni(t *testing.T) {
	announce(t)
	if !full() {
		t.Skip("Patroni waits for half a minute; FailoverOfTwo checks the same with two servers")
	}
	p := newPatroni(t)
	var servers []string
	for _, m := range p.servers {
		servers = append(servers, loopback(m.port))
	}
	for name, ways := range map[string][]string{"haproxy": {p.haproxy}, "pooled": {p.pgbouncer}, "direct": servers} {
		t.Run(name, func(t *testing.T) {
			p.whole()
			admin, err := pgx.Connect(t.Context(), "postgres://postgres@"+loopback(p.leader().port)+"/postgres?sslmode=disable")
			if err != nil {
				t.Fatal(err)
			}
			if _, err := admin.Exec(t.Context(), "CREATE DATABASE "+name); err != nil {
				t.Fatal(err)
			}
			_ = admin.Close(t.Context())
			for _, m := range p.servers { // a standby may not have the table yet
				if !eventually(time.Minute, func() bool { return m.holds(name) }) {
					m.blame()
				}
			}
			c, proxies := failingOver(t, name, servers, ways)
			w := c.startUsers()
			old := p.leader()
			w.failOver("FLT-05: "+name+", in order", p.switchover)
			p.whole()
			c.unopened(loopback(old.port), name)
			old = p.leader()
			before, began := begun(proxies), time.Now()
			w.failOver("FLT-05: "+name+", lost", old.kill)
			span := int(time.Since(began)/time.Second) + 1
			n, limit := begun(proxies)-before, len(c.nodes)*(len(ways)*(span+10)+20)
			t.Logf("FLT-05: %s: %d connections were begun in %d s", name, n, span)
			if n > limit {
				t.Errorf("%d connections were begun in %d s, at most %d may be", n, span, limit)
			}
			old.join()
			p.whole()
			w.end()
			c.unopened(loopback(old.port), name)
			w.checkAccounts("FLT-05: " + name)
		})
	}
}
