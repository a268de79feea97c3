package faults

import (
	"fmt"
	"net/http"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"portico/internal/secret"
	"portico/internal/store/pgtest"
	"portico/internal/testform"
)

// onPostgres is an installation that reaches its database through a proxy that
// can break. past is the path around the proxy.
type onPostgres struct {
	*place
	proxy *pgtest.Proxy
	past  string
}

func newOnPostgres(t *testing.T, connections int) *onPostgres {
	t.Helper()
	p := &onPostgres{past: pgtest.Plain(pgtest.Migrated(t))}
	p.proxy = pgtest.NewProxy(t, p.past)
	database := p.proxy.URL() + fmt.Sprintf("&pool_max_conns=%d", connections)
	p.place = newPlace(t, newSink(t), "PORTICO_DATABASE_URL="+database)
	if _, err := secret.CreateKey(filepath.Join(p.dir, "secret.key")); err != nil {
		t.Fatal(err)
	}
	return p
}

// exec runs a statement past the proxy.
func (p *onPostgres) exec(conn *pgx.Conn, text string) {
	p.Helper()
	if _, err := conn.Exec(p.Context(), text); err != nil {
		p.Fatal(err)
	}
}

func (p *onPostgres) connect() *pgx.Conn {
	p.Helper()
	conn, err := pgx.Connect(p.Context(), p.past)
	if err != nil {
		p.Fatal(err)
	}
	p.Cleanup(func() { _ = conn.Close(p.Context()) })
	return conn
}

func (p *onPostgres) count(query string) (n int) {
	p.Helper()
	if err := p.connect().QueryRow(p.Context(), query).Scan(&n); err != nil {
		p.Fatalf("%s: %v", query, err)
	}
	return n
}

// once fails if anything was stored twice or in part.
func (p *onPostgres) once() {
	p.Helper()
	for what, query := range map[string]string{
		"addresses with two accounts":      `SELECT COUNT(*) FROM (SELECT address_key FROM account GROUP BY address_key HAVING COUNT(*) > 1) twice`,
		"sessions without an audit record": `SELECT GREATEST(0, (SELECT COUNT(*) FROM session) - (SELECT COUNT(*) FROM audit WHERE name = 'signed_in'))`,
		"accounts without an audit record": `SELECT COUNT(*) FROM account a WHERE NOT EXISTS (SELECT 1 FROM audit u WHERE u.account_id = a.id AND u.name IN ('signed_up', 'account_created'))`,
		"registrations without account":    `SELECT COUNT(*) FROM flow f WHERE kind = 'signup' AND step = 'done' AND NOT EXISTS (SELECT 1 FROM account a WHERE a.id = f.account_id)`,
		"codes used without their step":    `SELECT COUNT(*) FROM code c JOIN flow f ON f.id = c.flow_id WHERE used_at > 0 AND f.step = 'verify'`,
	} {
		if n := p.count(query); n > 0 {
			p.Errorf("%d %s", n, what)
		}
	}
}

// unavailable requires the response of a Portico whose database is away.
func (b *browser) unavailable(method, target string, body map[string]string) {
	b.Helper()
	began := time.Now()
	a, err := b.do(method, target, body)
	took := time.Since(began)
	if err != nil || a.status != http.StatusServiceUnavailable || a.header.Get("Retry-After") == "" || took > testform.Limit(2*time.Second) {
		b.Errorf("%s %s: %v %d, Retry-After %q, after %v; want 503 with it in time", method, target, err, a.status, a.header.Get("Retry-After"), took)
	}
	if kind, want := a.header.Get("Content-Type"), map[bool]string{true: "application/problem+json", false: "text/html"}[strings.HasPrefix(target, "/auth/api/")]; !strings.HasPrefix(kind, want) {
		b.Errorf("%s %s has the type %s, want %s", method, target, kind, want)
	}
}

func (p *place) health(path string) int {
	resp, err := http.Get("http://" + p.ops + path)
	if err != nil {
		return 0
	}
	_ = resp.Body.Close()
	return resp.StatusCode
}

// The database is away, hangs or is slow.
func TestFLT05_DatabaseAway(t *testing.T) {
	announce(t)
	const connections = 4
	span := time.Duration(rounds(4, 60)) * time.Second
	for _, c := range []struct {
		name string
		mode pgtest.Mode
	}{{"refusing", pgtest.Refusing}, {"hanging", pgtest.Hanging}, {"slow", pgtest.Slow}} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			p := newOnPostgres(t, connections)
			p.serve()
			me, cold, stranger := p.browser(), p.browser(), p.browser()
			mine, theirs := fresh("me"), fresh("stranger")
			me.register(mine)
			flow := stranger.begin(theirs)
			cold.must("signin", map[string]string{"email": mine, "password": good}) // this session is not in the cache anymore
			if !me.whoami() {
				t.Fatal("not signed in")
			}

			p.proxy.Be(c.mode)
			began, before := time.Now(), p.proxy.Begun()
			var callers sync.WaitGroup
			for _, call := range []func(){
				func() { cold.unavailable("GET", "/auth/account", nil) },
				func() { cold.unavailable("GET", "/auth/api/session", nil) },
				func() {
					stranger.unavailable("POST", "/auth/api/verify-code", map[string]string{"flow": flow, "code": "000000"})
				},
				func() { stranger.unavailable("GET", "/auth/verify-code?flow="+flow, nil) },
				func() {
					stranger.unavailable("POST", "/auth/api/signin", map[string]string{"email": fresh("v"), "password": good})
				},
				func() {
					stranger.unavailable("POST", "/auth/api/forgot-password", map[string]string{"email": fresh("v")})
				},
				func() {
					if !me.whoami() {
						t.Errorf("a signed-in user is refused after %v", time.Since(began))
					}
				},
			} {
				callers.Go(func() {
					for time.Since(began) < span {
						call()
						time.Sleep(50 * time.Millisecond)
					}
				})
			}
			if live, ready := p.health("/livez"), p.health("/readyz"); live != 200 || ready != 503 {
				t.Errorf("/livez says %d, /readyz %d", live, ready)
			}
			callers.Wait()
			begun := p.proxy.Begun() - before
			if limit := 3*connections + int(span/time.Second) + 4; begun > limit { // one more connection cancels each hanging statement
				t.Errorf("%d connections were begun in %v, at most %d may be", begun, span, limit)
			}

			p.proxy.Be(pgtest.Passing)
			back := time.Now()
			for p.health("/readyz") != 200 || !cold.whoami() {
				if time.Since(back) > testform.Limit(5*time.Second) {
					t.Fatal("it is not back in time")
				}
				time.Sleep(20 * time.Millisecond)
			}
			t.Logf("FLT-05: %s for %v: %d connections begun, back after %v", c.name, span, begun, time.Since(back).Round(time.Millisecond))
			stranger.must("verify-code", map[string]string{"flow": flow, "code": p.mail.code(theirs, 20*time.Second)})
			p.once()
		})
	}
}

// A table is locked, and with it every connection.
func TestFLT06_TableLocked(t *testing.T) {
	announce(t)
	t.Parallel()
	const connections = 2
	span := time.Duration(rounds(4, 30)) * time.Second
	p := newOnPostgres(t, connections)
	p.serve()
	me := p.browser()
	mine := fresh("me")
	me.register(mine)
	if !me.whoami() {
		t.Fatal("not signed in")
	}
	lock := p.connect()
	p.exec(lock, `BEGIN; LOCK TABLE account`)
	began := time.Now()
	var callers sync.WaitGroup
	for range 8 {
		callers.Go(func() {
			b := p.browser()
			for time.Since(began) < span {
				b.unavailable("POST", "/auth/api/signin", map[string]string{"email": mine, "password": good})
			}
		})
	}
	callers.Go(func() {
		for time.Since(began) < span {
			if !me.whoami() {
				t.Errorf("a signed-in user is refused after %v", time.Since(began))
			}
			time.Sleep(50 * time.Millisecond)
		}
	})
	callers.Wait()
	used := p.proxy.Begun()
	if open := p.count(`SELECT COUNT(*) FROM pg_stat_activity WHERE datname = current_database() AND application_name = 'portico'`); open > connections {
		t.Errorf("%d connections are open, at most %d may be", open, connections)
	}
	p.exec(lock, `COMMIT`)
	back := time.Now()
	p.browser().must("signin", map[string]string{"email": mine, "password": good})
	t.Logf("FLT-06: a table locked for %v: %d connections begun in all, back after %v", span, used, time.Since(back).Round(time.Millisecond))
	p.once()
}

// Connections end in the middle of transactions, and answers of commits are
// lost. Clients that are told to try again do so, and nothing happens twice.
//
// Not parallel: on a busy machine a connection would end before it is of use.
func TestFLT06_ConnectionsEnd(t *testing.T) {
	announce(t)
	measures(t)
	span := time.Duration(rounds(4, 60)) * time.Second
	for name, disturb := range map[string]func(p *onPostgres, past *pgx.Conn){
		"ended by the server": func(p *onPostgres, past *pgx.Conn) {
			p.exec(past, `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND application_name = 'portico'`)
		},
		"cut after a commit":  func(p *onPostgres, _ *pgx.Conn) { p.proxy.Cut(pgtest.Cut{Text: "; COMMIT", Reached: true}) },
		"cut before a commit": func(p *onPostgres, _ *pgx.Conn) { p.proxy.Cut(pgtest.Cut{Text: "; COMMIT"}) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := newOnPostgres(t, 4)
			p.serve()
			past := p.connect()
			stop := make(chan struct{})
			var disturbing, people sync.WaitGroup
			disturbing.Go(func() {
				for {
					select {
					case <-stop:
						return
					case <-time.After(100 * time.Millisecond):
						disturb(p, past)
					}
				}
			})
			var registered, again, unknown, twice atomic.Int64
			began := time.Now()
			for range 4 {
				people.Go(func() {
					for time.Since(began) < span {
						tries, signIns := p.registerPersistently()
						again.Add(int64(tries))
						registered.Add(1)
						if signIns > 0 {
							unknown.Add(1)
							twice.Add(int64(signIns - 1))
						}
					}
				})
			}
			people.Wait()
			close(stop)
			disturbing.Wait()
			if n := p.count(`SELECT COUNT(*) FROM account`); n != int(registered.Load()) {
				t.Errorf("%d accounts of %d users", n, registered.Load())
			}
			// A sign-in with a 503 may have happened, and the next one cannot tell.
			least := registered.Load() + unknown.Load()
			if n := int64(p.count(`SELECT COUNT(*) FROM session`)); n < least || n > least+twice.Load() {
				t.Errorf("%d sessions of %d users, of whom %d did not learn of their first, and %d sign-ins with a 503", n, registered.Load(), unknown.Load(), twice.Load())
			}
			t.Logf("FLT-06: %s: %d registered in %v; there were %d retries, and %d users found that the step had worked", name, registered.Load(), span, again.Load(), unknown.Load())
			p.once()
		})
	}
}

// registerPersistently registers a user who tries again after each 503. It
// returns the number of retries, and of the sign-ins that were sent, because a
// step with a 503 turned out to be done.
func (p *onPostgres) registerPersistently() (again, signIns int) {
	p.Helper()
	b, address := p.browser(), fresh("v")
	defer b.close()
	ask := func(method, path string, body map[string]string) answer {
		for {
			a, err := b.do(method, "/auth/api/"+path, body)
			if err != nil || a.status != http.StatusServiceUnavailable {
				if err != nil || a.status >= 500 {
					p.Errorf("%s: %v %d %s", path, err, a.status, a.body)
				}
				return a
			}
			again++
			time.Sleep(50 * time.Millisecond)
		}
	}
	_, flow := ask("POST", "signup", map[string]string{"email": address, "password": good, "confirm_password": good}).next()
	// Each committed form has sent a code, even if its answer was 503. The two
	// newest codes are valid on one page; older ones have expired.
	var a answer
	for mails := 1; mails == 1 || a.code() == "code.expired"; mails++ {
		a = ask("POST", "verify-code", map[string]string{"flow": flow, "code": p.mail.lastCode(address, mails, time.Minute)})
	}
	if again > 0 && a.code() == "code.used" {
		before := again
		a = ask("POST", "signin", map[string]string{"email": address, "password": good})
		signIns = 1 + again - before
	}
	if who := ask("GET", "session", nil); a.status != http.StatusOK || who.status != http.StatusOK {
		p.Errorf("registered and not signed in: %d %s, then %d", a.status, a.body, who.status)
	}
	return again, signIns
}
