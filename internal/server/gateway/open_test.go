package gateway

import (
	"net/http"
	"net/url"
	"sync/atomic"
	"testing"
	"time"

	"portico/internal/clock"
	"portico/internal/server"
	"portico/internal/server/form"
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
		now := time.Now()
		for i, step := range []struct {
			begunOrEnded uint32
			later        time.Duration
			stalled      bool
		}{
			{0, time.Hour, false}, {1, time.Hour, false}, {0, server.StallTimeout - 1, false}, {2, time.Hour, false}, {0, server.StallTimeout - 1, false},
			{1, time.Hour, false}, {1, time.Hour, false}, {0, server.StallTimeout, true}, {1, time.Hour, false}, {0, time.Hour, false},
		} {
			writes.Add(step.begunOrEnded)
			if now = now.Add(step.later); p.stalled(now) != step.stalled {
				t.Errorf("%s, step %d: stalled: %v", name, i, !step.stalled)
			}
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
