package faults

import (
	"bufio"
	"context"
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"portico/internal/session"
	"portico/internal/store/pgtest"
	"portico/internal/testform"
)

// revocationLimit is the time within which a session that was ended on one node
// ends on all nodes. It may take twice as long while queries fail. The short
// form runs beside other tests, so it only rules out that the cache expired.
func revocationLimit(disturbed bool) time.Duration {
	if disturbed {
		return 2 * revocationLimit(false)
	}
	return time.Duration(rounds(15, 1)) * time.Second
}

// A session is ended on one of three nodes. All nodes end it, at the next
// request and in open streams, even if connections to the database end all the
// time.
//
// Not parallel: it measures.
func TestRevocation_ReachesAllNodes(t *testing.T) {
	announce(t)
	measures(t)
	for _, disturbed := range []bool{false, true} {
		t.Run(fmt.Sprintf("connections end/%v", disturbed), func(t *testing.T) {
			measures(t)
			c := newCluster(t, newOnPostgres(t, 8), 3, "PORTICO_UPSTREAM="+endless(t))
			for _, n := range c.nodes {
				n.serve()
			}
			if disturbed {
				defer c.disturb()()
			}
			for cause, end := range map[string]func(n *place, b *browser, address string){
				"a sign-out":         func(n *place, b *browser, _ string) { b.insist("signout", map[string]string{}) },
				"a reset":            func(n *place, _ *browser, address string) { n.resets(address) },
				"a disabled account": func(n *place, _ *browser, address string) { n.disables(address) },
			} {
				var checks, streams []time.Duration
				for range rounds(1, 20) {
					check, stream := c.timeRevocation(end)
					checks, streams = append(checks, check), append(streams, stream)
				}
				t.Logf("%s ends sessions on three nodes: at the next request after %v (median %v), in an open stream after %v (median %v), in %d rounds",
					cause, percentile(checks, 100), percentile(checks, 50), percentile(streams, 100), percentile(streams, 50), len(checks))
				if slowest := max(percentile(checks, 100), percentile(streams, 100)); slowest > revocationLimit(disturbed) {
					t.Errorf("%s ends sessions after %v, want within %v", cause, slowest, revocationLimit(disturbed))
				}
			}
		})
	}
}

// timeRevocation signs a user in and lets the first node end the session. It
// returns the time until the last node refused a request, and until it closed
// the open stream. The time starts when the database has the change.
func (c *cluster) timeRevocation(end func(n *place, b *browser, address string)) (check, stream time.Duration) {
	c.Helper()
	address := fresh("felt")
	first := c.nodes[0].browser()
	flow := first.insist("signup", map[string]string{"email": address, "password": good, "confirm_password": good})
	first.insist("verify-code", map[string]string{"flow": flow, "code": c.mail.lastCode(address, 1, testform.Patience)})
	if !first.whoami() { // the answer with the session was lost
		first.insist("signin", map[string]string{"email": address, "password": good})
	}
	var mu sync.Mutex
	var refused, ended time.Time
	later := func(t *time.Time) {
		mu.Lock()
		defer mu.Unlock()
		if now := time.Now(); now.After(*t) {
			*t = now
		}
	}
	var watched, ready sync.WaitGroup
	for _, n := range c.nodes {
		b := n.browser()
		b.cookies = maps.Clone(first.cookies)
		if !eventually(testform.Patience, b.whoami) {
			c.Error("a node does not know the session")
		}
		ready.Add(1)
		watched.Go(func() {
			defer b.close()
			if !eventually(time.Minute, func() bool { return !b.whoami() }) {
				c.Error("an ended session still works")
			}
			later(&refused)
			if !eventually(testform.Patience, func() bool { a, err := b.do("GET", "/auth/api/session", nil); return err == nil && a.status == 401 }) {
				c.Error("the session is refused, but not as ended")
			}
		})
		watched.Go(func() {
			n.follow(first.cookies, ready.Done)
			later(&ended)
		})
	}
	ready.Wait()
	end(c.nodes[0], first, address)
	watched.Wait()
	var at int64
	row := c.connect().QueryRow(c.Context(), `SELECT MAX(at) FROM revocation WHERE account_id = (SELECT id FROM account WHERE address = $1)`, address)
	if err := row.Scan(&at); err != nil {
		c.Fatal(err)
	}
	return refused.Sub(time.UnixMicro(at)), ended.Sub(time.UnixMicro(at))
}

// follow reads an endless response of the app until the server ends it. It
// calls open after the first bytes.
func (p *place) follow(cookies map[string]string, open func()) {
	ctx, cancel := context.WithTimeout(p.Context(), time.Minute)
	defer cancel()
	b := p.browser()
	defer b.close()
	begun := sync.OnceFunc(open)
	defer begun()
	for tries := 0; ; tries++ {
		r, _ := http.NewRequestWithContext(ctx, "GET", p.origin+"/stream", nil)
		for name, value := range cookies {
			r.AddCookie(&http.Cookie{Name: name, Value: value})
		}
		resp, err := b.transport.RoundTrip(r)
		if err != nil || resp.StatusCode != 200 {
			if err == nil {
				_ = resp.Body.Close()
			}
			if tries == 100 {
				p.Errorf("the app is not reached: %v", err)
				return
			}
			time.Sleep(50 * time.Millisecond)
			continue
		}
		defer resp.Body.Close()
		for lines := bufio.NewReader(resp.Body); ; begun() {
			if _, err := lines.ReadString('\n'); err != nil {
				if ctx.Err() != nil {
					p.Error("a stream continues after its session has ended")
				}
				return
			}
		}
	}
}

// endless is an app that sends events without end.
func endless(t *testing.T) (url string) {
	t.Helper()
	stop := make(chan struct{})
	app := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		for {
			_, _ = w.Write([]byte("data: tick\n\n"))
			_ = http.NewResponseController(w).Flush()
			select {
			case <-r.Context().Done():
				return
			case <-stop:
				return
			case <-time.After(20 * time.Millisecond):
			}
		}
	}))
	t.Cleanup(func() { close(stop); app.Close() })
	return app.URL
}

// disturb ends every connection of the nodes to the database, up to ten times a
// second, until the caller calls the returned function.
func (c *cluster) disturb() (end func()) {
	past, stop := c.connect(), make(chan struct{})
	var disturbing sync.WaitGroup
	disturbing.Go(func() {
		for pause := 100 * time.Millisecond; ; {
			select {
			case <-stop:
				return
			case <-time.After(pause):
				c.exec(past, `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND application_name = 'portico'`)
				began := time.Now()
				_ = c.connectTo(c.past).Close(c.Context())
				pause = 100*time.Millisecond + 10*time.Since(began) // leaves a slow machine the time of a step
			}
		}
	})
	return func() { close(stop); disturbing.Wait() }
}

// insist sends a step until the database takes it, and returns the flow of the
// next step.
func (b *browser) insist(operation string, body map[string]string) (flow string) {
	b.Helper()
	said := answer{}
	if !eventually(time.Minute, func() bool {
		a, err := b.post(operation, body)
		said = a
		return err == nil && a.status != http.StatusServiceUnavailable
	}) || said.status != 200 && said.code() != "code.used" {
		b.Errorf("%s: %d %s", operation, said.status, said.body)
	}
	_, flow = said.next()
	return flow
}

// resets sets a new password for an address, as its owner in another browser.
func (p *place) resets(address string) {
	p.Helper()
	b := p.browser()
	defer b.close()
	flow := b.insist("forgot-password", map[string]string{"email": address})
	b.insist("verify-code", map[string]string{"flow": flow, "code": p.mail.lastCode(address, 2, testform.Patience)})
	b.insist("reset-password", map[string]string{"flow": flow, "password": fresher, "confirm_password": fresher})
}

// disables closes an account by the operator's command.
func (p *place) disables(address string) {
	p.Helper()
	said := ""
	if !eventually(time.Minute, func() bool {
		said = p.command("user", "disable", address)
		return !strings.HasPrefix(said, "exit status")
	}) {
		p.Error(said)
	}
}

// A node is cut off from the database. It answers from memory for a stated time
// and refuses everything after that, because it cannot learn that a session was
// ended elsewhere.
func TestRevocation_NodeCutOff(t *testing.T) {
	announce(t)
	t.Parallel()
	if !full() {
		t.Skip("it takes two minutes")
	}
	c := newCluster(t, newOnPostgres(t, 8), 2)
	own := pgtest.NewProxy(t, c.past)
	c.nodes[1].extra = append(c.nodes[1].extra, "PORTICO_DATABASE_URL="+own.URL())
	for _, n := range c.nodes {
		n.serve()
	}
	b, cut := c.nodes[0].browser(), c.nodes[1].browser()
	b.register(fresh("cut"))
	cut.cookies = maps.Clone(b.cookies)
	if !cut.whoami() {
		t.Fatal("the second node does not know the session")
	}
	own.Be(pgtest.Hanging)
	b.must("signout", map[string]string{})
	began := time.Now()
	if !eventually(session.Blind+20*time.Second, func() bool { return !cut.whoami() }) {
		t.Errorf("a node without its database accepts an ended session after %v", time.Since(began))
	}
	lived := time.Since(began)
	if a, err := cut.do("GET", "/auth/api/session", nil); err != nil || a.status != 503 {
		t.Errorf("then it answers %d (%v), want 503", a.status, err)
	}
	own.Be(pgtest.Passing)
	if !eventually(10*time.Second, func() bool { a, err := cut.do("GET", "/auth/api/session", nil); return err == nil && a.status == 401 }) {
		t.Error("an ended session is not refused when the node is back")
	}
	t.Logf("a node without its database accepts a session that ended elsewhere for %v, then answers 503", lived.Round(time.Second))
}
