package faults

import (
	"context"
	"fmt"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5"

	"portico/internal/testform"
)

// failoverUsers are clients of two nodes while their database fails over. They
// record the answers.
type failoverUsers struct {
	*cluster
	stop  chan struct{}
	all   sync.WaitGroup
	probe *served // a client without Portico that writes to the server that takes writes
	wrote []*beat // when a write through each node succeeded
	ready []*beat // when each node reported that it is ready

	mu            sync.Mutex
	unexpected    map[string]int // unexpected answers and their number
	names         map[string]int // the number of sessions of each registered address
	slowest       time.Duration  // the slowest 503
	latest        time.Duration  // the longest time beyond the limit
	slowestCached time.Duration  // the slowest answer that needs no database
	refused       atomic.Int64
	cached        atomic.Int64
}

// beat holds the times of successes.
type beat struct {
	mu sync.Mutex
	at []time.Time
}

func (b *beat) well() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.at = append(b.at, time.Now())
}

// served holds the times at which the client without Portico wrote, and the
// port of the server.
type served struct {
	mu   sync.Mutex
	at   []time.Time
	port []int
}

func (s *served) well(port int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.at, s.port = append(s.at, time.Now()), append(s.port, port)
}

// change returns the last write to the old server and the first write to the
// new one.
func (s *served) change(since time.Time) (from, to time.Time, changed bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for i, at := range s.at {
		if at.After(since) && i > 0 && s.port[i] != s.port[i-1] {
			return s.at[i-1], at, true
		}
	}
	return from, to, false
}

// gap returns the longest time between successes since a moment.
func (b *beat) gap(since time.Time) (from, to time.Time) {
	b.mu.Lock()
	defer b.mu.Unlock()
	last := since
	for _, at := range b.at {
		if at.After(since) && at.Sub(last) > to.Sub(from) {
			from, to = last, at
		}
		if at.After(since) {
			last = at
		}
	}
	return from, to
}

// next returns the first success after a moment.
func (b *beat) next(since time.Time) time.Time {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, at := range b.at {
		if at.After(since) {
			return at
		}
	}
	return time.Time{}
}

// after reports whether a success came after a moment.
func (b *beat) after(since time.Time) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return len(b.at) > 0 && b.at[len(b.at)-1].After(since)
}

// startUsers starts the clients of each node.
func (c *cluster) startUsers() *failoverUsers {
	c.Helper()
	w := &failoverUsers{cluster: c, stop: make(chan struct{}), probe: &served{}, unexpected: map[string]int{}, names: map[string]int{}}
	c.exec(c.connect(), `CREATE TABLE IF NOT EXISTS probe (n BIGINT)`)
	w.all.Go(w.write)
	for _, n := range c.nodes {
		wrote, ready := &beat{}, &beat{}
		w.wrote, w.ready = append(w.wrote, wrote), append(w.ready, ready)
		hot, cold, mine := n.browser(), n.browser(), fresh("busy")
		hot.register(fresh("hot"))
		cold.register(mine) // another sign-in of the user makes the node forget the session
		if !hot.whoami() {
			c.Fatal("not signed in")
		}
		w.repeat(20*time.Millisecond, func() { w.check(hot) })
		w.repeat(50*time.Millisecond, func() { w.mustBe(cold, "GET", "/auth/account", nil, 200, 503) })
		w.repeat(20*time.Millisecond, func() {
			b := n.browser()
			defer b.close()
			if w.mustBe(b, "POST", "/auth/api/forgot-password", map[string]string{"email": fresh("v")}, 200, 503) == 200 {
				wrote.well()
			}
		})
		w.repeat(20*time.Millisecond, func() { w.health(n, ready) })
		w.repeat(0, func() { w.register(n) })
		w.repeat(50*time.Millisecond, func() {
			b := n.browser()
			defer b.close()
			// An attempt is counted before its hash is computed: on a slow machine, several that the failover interrupts reach the limit.
			w.mustBe(b, "POST", "/auth/api/signin", map[string]string{"email": mine, "password": good}, 200, 503, 429)
		})
	}
	return w
}

func (w *failoverUsers) repeat(pause time.Duration, do func()) {
	w.all.Go(func() {
		for {
			select {
			case <-w.stop:
				return
			case <-time.After(pause):
				do()
			}
		}
	})
}

func (w *failoverUsers) end() {
	close(w.stop)
	w.all.Wait()
	for what, n := range w.unexpected {
		w.Errorf("%d times: %s", n, what)
	}
}

func (w *failoverUsers) note(format string, args ...any) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.unexpected[fmt.Sprintf(format, args...)]++
}

// write is the client without Portico. It shows when the new server takes
// writes.
func (w *failoverUsers) write() {
	var conn *pgx.Conn
	for n := 0; ; n++ {
		select {
		case <-w.stop:
			if conn != nil {
				_ = conn.Close(context.Background())
			}
			return
		case <-time.After(10 * time.Millisecond):
		}
		ctx, cancel := context.WithTimeout(context.Background(), time.Second)
		var err error
		if conn == nil || conn.IsClosed() {
			conn, err = pgx.Connect(ctx, w.past)
		}
		if err == nil {
			var port int
			if err = conn.QueryRow(ctx, `INSERT INTO probe VALUES ($1) RETURNING inet_server_port()`, n).Scan(&port); err == nil {
				w.probe.well(port)
			}
		}
		cancel()
	}
}

// mustBe sends a request and requires one of the statuses. A 503 must come
// within two seconds and with Retry-After.
func (w *failoverUsers) mustBe(b *browser, method, target string, body map[string]string, want ...int) int {
	return w.ask(b, method, target, body, want...).status
}

// check checks a session that the node has in memory.
func (w *failoverUsers) check(b *browser) {
	began := time.Now()
	w.mustBe(b, "GET", "/auth/api/session", nil, 200)
	w.cached.Add(1)
	w.mu.Lock()
	defer w.mu.Unlock()
	w.slowestCached = max(w.slowestCached, time.Since(began))
}

func (w *failoverUsers) ask(b *browser, method, target string, body map[string]string, want ...int) answer {
	began := time.Now()
	a, err := b.do(method, target, body)
	took := time.Since(began)
	if err != nil {
		w.note("%s %s: %v", method, target, err)
		return a
	}
	expected := len(want) == 0 && a.status < 500
	for _, status := range want {
		expected = expected || a.status == status
	}
	if a.status == http.StatusServiceUnavailable {
		w.refused.Add(1)
		w.mu.Lock()
		w.slowest, w.latest = max(w.slowest, took), max(w.latest, lateness(target, took))
		w.mu.Unlock()
		expected = (len(want) == 0 || expected) && a.header.Get("Retry-After") != ""
	}
	if !expected {
		w.note("%s %s: %d %.200s, Retry-After %q, after %v", method, target, a.status, a.body, a.header.Get("Retry-After"), took.Round(100*time.Millisecond))
	}
	return a
}

// lateness returns by how much a 503 came too late. Requests that hash a
// password are not judged: hashing has the lowest priority on a busy machine.
func lateness(target string, took time.Duration) time.Duration {
	if target == "/auth/api/signin" || target == "/auth/api/signup" {
		return 0
	}
	return took - testform.Limit(2*time.Second)
}

func (w *failoverUsers) health(n *place, ready *beat) {
	for _, path := range []string{"/livez", "/readyz"} {
		began := time.Now()
		resp, err := http.Get("http://" + n.ops + path)
		if err != nil {
			w.note("%s: %v", path, err)
			continue
		}
		_ = resp.Body.Close()
		w.mu.Lock()
		w.latest = max(w.latest, time.Since(began)-testform.Limit(2*time.Second))
		w.mu.Unlock()
		switch status := resp.StatusCode; {
		case path == "/livez" && status != 200 || status != 200 && status != 503:
			w.note("%s says %d", path, status)
		case path == "/readyz" && status == 200:
			ready.well()
		}
	}
}

// register registers a user, and repeats each request that gets 503.
func (w *failoverUsers) register(n *place) {
	b, address := n.browser(), fresh("v")
	defer b.close()
	again := 0
	ask := func(method, path string, body map[string]string) answer {
		for {
			a := w.ask(b, method, "/auth/api/"+path, body)
			if a.status != http.StatusServiceUnavailable && a.status != 0 {
				return a
			}
			again++
			time.Sleep(50 * time.Millisecond)
		}
	}
	_, flow := ask("POST", "signup", map[string]string{"email": address, "password": good, "confirm_password": good}).next()
	if w.mail.code(address, time.Minute) == "" {
		w.note("no code is mailed")
		return
	}
	var a answer
	sessions := 1
	for range 3 { // a repeated sign-up may have sent two emails, in either order
		for _, code := range w.mail.codes(address) {
			if a = ask("POST", "verify-code", map[string]string{"flow": flow, "code": code}); a.status == 200 || a.code() == "code.used" {
				break
			}
		}
		if a.status == 200 || a.code() == "code.used" {
			break
		}
		time.Sleep(time.Second)
	}
	if again > 0 && a.code() == "code.used" {
		a = ask("POST", "signin", map[string]string{"email": address, "password": good})
		sessions++
	}
	if who := ask("GET", "session", nil); a.status != 200 || who.status != 200 {
		w.note("registered and not signed in: %d %s, then %d", a.status, a.body, who.status)
		return
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.names[address] = sessions
}
