package gateway

import (
	"context"
	"crypto/x509"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"portico/internal/clock"
	"portico/internal/fault"
	"portico/internal/flow"
	"portico/internal/rule"
	"portico/internal/secret"
	"portico/internal/server"
	"portico/internal/server/form"
	"portico/internal/session"
)

// wire counts how often its connection is ended.
type wire struct {
	http.ResponseWriter
	ended int
	rest  time.Time // the deadline for writes
}

func (w *wire) SetReadDeadline(time.Time) error { w.ended++; return nil }

func (w *wire) SetWriteDeadline(t time.Time) error { w.rest = t; return nil }

// A connection that already serves another request is not ended.
func TestOpen_EndsOnlyWhatIsOpen(t *testing.T) {
	t.Parallel()
	o, w := newOpen(), &wire{}
	p := &passing{w: w}
	o.add(p)
	o.end(p, closeSignedOut, "")
	if w.ended != 1 {
		t.Errorf("an open request was ended %d times", w.ended)
	}
	o.remove(p)
	o.end(p, closeSignedOut, "")
	if w.ended != 1 {
		t.Error("a request that was over was ended")
	}
	if time.Until(w.rest) > 0 {
		t.Error("what was ended may go on writing")
	}
	whole := &passing{w: w}
	o.add(whole)
	if o.remove(whole); time.Until(w.rest) <= 0 {
		t.Error("the rest of a response has no time")
	}
	o.draining = true
	o.add(p)
	o.lasts(p, nil)
	if w.ended != 2 {
		t.Error("a stream that begins while Portico stops goes on")
	}
}

// A client has stalled when one write to it lasts too long. Between writes a stream may be quiet for any time.
func TestPassing_Stalled(t *testing.T) {
	t.Parallel()
	for name, of := range map[string]func() (*passing, *atomic.Uint32){
		"a response":  func() (*passing, *atomic.Uint32) { p := &passing{}; return p, &p.writes },
		"a WebSocket": func() (*passing, *atomic.Uint32) { s := new(tunnel); return &passing{socket: s}, &s.down.writes },
	} {
		p, writes := of()
		for i, step := range []struct {
			begunOrEnded uint32
			looks        int
			stalled      bool
		}{
			{0, 20, false}, {1, 1, false}, {0, 11, false}, {2, 1, false}, {0, 11, false}, {1, 20, false}, {1, 1, false}, {0, 12, false}, {0, 1, true}, {1, 20, false},
		} {
			writes.Add(step.begunOrEnded)
			for range step.looks {
				if p.stalled(server.StallTimeout/12) != step.stalled {
					t.Errorf("%s, step %d: stalled: %v", name, i, !step.stalled)
				}
			}
		}
		writes.Add(1)
		for _, jump := range []time.Duration{0, 24 * time.Hour, -24 * time.Hour, 24 * time.Hour} {
			if p.stalled(jump) {
				t.Errorf("%s: a clock that was set by %v ends a write", name, jump)
			}
		}
	}
}

// A long body is unread while Portico waits for the app, not for the client, until the response begins.
func TestPassing_Unread(t *testing.T) {
	t.Parallel()
	const limit = 12 * time.Second
	p := &passing{app: &app{App: App{Timeout: limit}}}
	for i, step := range []struct {
		body         *body
		begunOrEnded uint32
		stage        int32
		unread       bool
	}{
		{nil, 0, waits, false}, {new(body), 0, waits, true}, {new(body), 1, waits, false}, {new(body), 2, waits, true}, {new(body), 0, answered, false}, {new(body), 0, cut, false},
	} {
		p.reading, p.body = stall{}, step.body
		p.stage.Store(step.stage)
		if p.body != nil {
			p.body.reads.Add(step.begunOrEnded)
		}
		early := false
		for range 12 {
			early = p.unread(limit/12) || early
		}
		late := p.unread(limit / 12)
		late = p.unread(limit/12) || late
		if early || late != step.unread {
			t.Errorf("step %d: unread: %v early, %v late", i, early, late)
		}
	}
}

// An access token is looked at in its own rounds alone, because a look may read
// the database. Without flows to ask, a look panics.
func TestLook_SparesTokens(t *testing.T) {
	t.Parallel()
	g := &Gateway{open: newOpen(), Config: Config{Actions: &form.Actions{}, Clock: clock.System{}}}
	g.open.add(&passing{shown: shown{token: "access", resource: "https://tools.test/"}, ruledBy: g})
	for _, tokens := range []bool{false, true} {
		asked := func() (asked bool) {
			defer func() { asked = recover() != nil }()
			g.look(t.Context(), map[string]look{}, tokens)
			return false
		}()
		if asked != tokens {
			t.Errorf("in a round of tokens (%v), the token is looked at: %v", tokens, asked)
		}
	}
}

// While the database hangs, a round of many sessions ends, and so does the watch when Portico stops.
func TestLook_Ends(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		looks := 0
		g := &Gateway{open: newOpen(), Config: Config{Clock: clock.System{}, TokenSession: func(context.Context, string, string) (session.Found, error) {
			looks++
			time.Sleep(lookFor / 2)
			return session.Found{}, fault.New(fault.Unavailable, fault.CodeUnavailable)
		}}}
		for n := range 100 {
			g.open.add(&passing{shown: shown{token: strconv.Itoa(n), resource: "https://tools.test/"}, ruledBy: g})
		}
		if g.look(t.Context(), map[string]look{}, true); looks == 0 || looks > 3 {
			t.Errorf("one round looked at %d sessions", looks)
		}
		before := looks
		ended, end := context.WithCancel(t.Context())
		end()
		if g.look(ended, map[string]look{}, true); looks != before {
			t.Error("a watch that has ended looks at sessions")
		}
	})
}

// A request whose session was found only after its body has arrived is watched as one of that session.
func TestHold_IsWatched(t *testing.T) {
	t.Parallel()
	flows := flow.New(flow.Config{Key: secret.NewKey(), Clock: clock.System{}, Sessions: session.NewKeeper(session.Config{})}).Flows
	g := &Gateway{open: newOpen(), Config: Config{Actions: &form.Actions{Flows: flows}, Clock: clock.System{}, TokenSession: func(context.Context, string, string) (session.Found, error) {
		return session.Found{}, nil
	}}}
	a := &app{App: App{Resource: "https://tools.test/", Uploads: Uploads{Buffer: 10}}, buffered: new(atomic.Int64)}
	r := httptest.NewRequest("POST", "/", strings.NewReader("body"))
	r.Header.Set("Authorization", "Bearer access")
	p := &passage{gateway: g, visit: visit{app: a, rule: rule.Rule{Need: rule.Need{Public: true}}}}
	p.body = newBody(p, r)
	if passes, err := p.hold(httptest.NewRecorder(), r); !passes || err != nil || p.passing.token != "access" {
		t.Errorf("passes: %v, %v, and is watched as %q", passes, err, p.passing.token)
	}
}

// Beyond the limit of all bodies of an app, nothing more is kept, also while many slow ones arrive.
func TestBody_Fill(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		others, length, kept int64
	}{{0, 100, 100}, {0, -1, 100}, {mostBuffered - 100, 100, 100}, {mostBuffered - 100, -1, 0}, {mostBuffered - 99, 100, 0}, {mostBuffered, -1, 0}} {
		a := &app{App: App{Uploads: Uploads{Buffer: 64 << 10}}, buffered: new(atomic.Int64)}
		a.buffered.Store(tt.others)
		r := httptest.NewRequest("POST", "/", io.MultiReader(strings.NewReader(strings.Repeat("x", 60)), strings.NewReader(strings.Repeat("y", 40))))
		r.ContentLength = tt.length
		b := newBody(&passage{visit: visit{app: a}}, r)
		if err := b.fill(); err != nil || b.kept != tt.kept || a.buffered.Load() != tt.others+tt.kept {
			t.Errorf("beside %d bytes, of a length of %d are kept %d, in all %d, %v", tt.others, tt.length, b.kept, a.buffered.Load(), err)
		}
		if b.release(); a.buffered.Load() != tt.others {
			t.Errorf("then %d bytes are counted", a.buffered.Load())
		}
	}
}

// After a reload, an app keeps its connections only if all that makes them is the same, and its limit of
// buffered bodies in any case. A gateway that was replaced keeps no identities.
func TestNew_Before(t *testing.T) {
	t.Parallel()
	at := func(before *Gateway, roots *x509.CertPool) *Gateway {
		up := &url.URL{Scheme: "https", Host: "app.test"}
		return New(Config{Public: up, Log: slog.New(slog.DiscardHandler), Before: before, Apps: []App{{Name: "app", Upstream: up, Roots: roots}}})
	}
	other := x509.NewCertPool()
	other.AddCert(&x509.Certificate{Raw: []byte("of another authority")})
	first := at(nil, x509.NewCertPool())
	first.apps[0].identities.Store("session", &identity{})
	first.apps[0].buffered.Store(7)
	for roots, kept := range map[*x509.CertPool]bool{x509.NewCertPool(): true, other: false} {
		next := at(first, roots)
		if got := next.apps[0].proxy.Transport == first.apps[0].proxy.Transport; got != kept {
			t.Errorf("with these authorities, the connections are kept: %v", got)
		}
		if next.apps[0].buffered.Load() != 7 {
			t.Error("the limit of buffered bodies begins anew")
		}
		first.Close(next)
	}
	if _, has := first.apps[0].identities.Load("session"); has {
		t.Error("a replaced gateway keeps an identity")
	}
}

// A reload ends what shows a token that the app of the path takes no more, and nothing else.
func TestShown_TakenBy(t *testing.T) {
	t.Parallel()
	of := func(name, resource string, personal bool) *app {
		return &app{App: App{Name: name, Resource: resource, Personal: personal, Upstream: &url.URL{Scheme: "http", Host: "one.test"}}}
	}
	moved := func(name string) *app {
		a := of(name, "", false)
		a.Upstream = &url.URL{Scheme: "http", Host: "two.test"}
		return a
	}
	const tools, part = "https://x.test/tools", "https://x.test/tools/part"
	cookie, access, personal := shown{token: "x"}, shown{token: "x", resource: tools}, shown{token: "x", personal: true}
	for name, tt := range map[string]struct {
		shown shown
		now   *app
		want  bool
	}{
		"a cookie": {cookie, of("part", "", false), true}, "nobody": {shown{}, of("part", part, true), true},
		"a cookie, moved": {cookie, moved("tools"), true}, "a cookie, another app": {cookie, moved("part"), false}, "nobody, another app": {shown{}, moved("part"), false},
		"access":                {access, of("tools", tools, false), true},
		"access, renamed":       {access, of("other", tools, false), true},
		"access, no more":       {access, of("tools", "", true), false},
		"access, elsewhere":     {access, of("part", part, true), false},
		"personal":              {personal, of("tools", "", true), true},
		"personal, another app": {personal, of("part", tools, true), false},
		"personal, no more":     {personal, of("tools", tools, false), false},
	} {
		if got := tt.shown.takenBy(tt.now, of("tools", tools, true)); got != tt.want {
			t.Errorf("%s: taken: %v", name, got)
		}
	}
}

// A known fault is checked in the rounds for it alone, once a second, and a silence in each.
func TestSuspect_Rounds(t *testing.T) {
	t.Parallel()
	down, silent := new(circuit), new(circuit)
	down.open.Store(server.AppDown)
	if down.suspect(false, false, 2) || !down.suspect(true, false, 2) {
		t.Error("an app that is down is checked in the wrong rounds")
	}
	if silent.suspect(true, true, 2) || !silent.suspect(false, true, 2) {
		t.Error("a silence of two rounds is not checked after two")
	}
	if silent.answered(); silent.suspect(true, true, 2) {
		t.Error("an app that has answered is checked")
	}
}
