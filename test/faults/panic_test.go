package faults

import (
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"portico/internal/clock"
)

// trap is a clock that panics when a request reads it for the nth time,
// anywhere in a handler, also inside a transaction.
type trap struct {
	clock.System
	left atomic.Int64 // reads until the panic; negative for none
}

const unarmed = -1 << 40

func (c *trap) Now() time.Time {
	if ofRequest() && c.left.Add(-1) == 0 {
		panic("a trap")
	}
	return c.System.Now()
}

// ofRequest reports whether the caller works for a request. Background work,
// such as following signing keys, must not panic.
func ofRequest() bool {
	var calls [64]uintptr
	frames := runtime.CallersFrames(calls[:runtime.Callers(3, calls[:])])
	for request := false; ; {
		frame, more := frames.Next()
		switch {
		case strings.HasSuffix(frame.Function, "app.every"):
			return false
		case strings.Contains(frame.Function, "server.(*route).ServeHTTP"), strings.Contains(frame.Function, "flow.(*Flows)"):
			request = true
		}
		if !more {
			return request
		}
	}
}

// looks counts how often a request reads the clock while fn runs.
func (c *trap) looks(fn func()) int {
	c.left.Store(unarmed)
	fn()
	return int(unarmed - c.left.Load())
}

// request is a request of a journey. prepare brings the browser to its step.
type request struct {
	name    string
	prepare func(p *place, b *browser) (method, target string, body map[string]string)
}

func requests() []request {
	list := []request{
		{"a page", func(*place, *browser) (string, string, map[string]string) { return "GET", "/auth/signin", nil }},
		{"the account page", func(_ *place, b *browser) (string, string, map[string]string) {
			b.register(fresh("page"))
			return "GET", "/auth/account", nil
		}},
		{"the sessions", func(_ *place, b *browser) (string, string, map[string]string) {
			b.register(fresh("list"))
			return "GET", "/auth/api/sessions", nil
		}},
		{"a pending step", func(_ *place, b *browser) (string, string, map[string]string) {
			return "GET", "/auth/verify-code?flow=" + b.begin(fresh("step")), nil
		}},
		{"a registration", func(*place, *browser) (string, string, map[string]string) {
			return post("signup", map[string]string{"email": fresh("new"), "password": good, "confirm_password": good})
		}},
		{"a recovery", func(*place, *browser) (string, string, map[string]string) {
			return post("forgot-password", map[string]string{"email": fresh("lost")})
		}},
		{"a sign-in", func(_ *place, b *browser) (string, string, map[string]string) {
			address := fresh("in")
			b.register(address)
			return post("signin", map[string]string{"email": address, "password": good})
		}},
		{"a wrong sign-in", func(*place, *browser) (string, string, map[string]string) {
			return post("signin", map[string]string{"email": fresh("wrong"), "password": "not the right password 7"})
		}},
		{"a sign-out", func(_ *place, b *browser) (string, string, map[string]string) {
			b.register(fresh("out"))
			return post("signout", map[string]string{})
		}},
	}
	for _, s := range steps() {
		list = append(list, request{s.name, func(p *place, b *browser) (string, string, map[string]string) {
			return post(s.prepare(p, b, fresh("step")))
		}})
	}
	return list
}

func post(operation string, body map[string]string) (string, string, map[string]string) {
	return "POST", "/auth/api/" + operation, body
}

// A panic in a handler, at each place where it reads the clock, costs one
// request: a 500 with its id. Nothing stays locked or half done.
func TestFLT21_PanicInAHandler(t *testing.T) {
	announce(t)
	t.Parallel()
	c := &trap{}
	c.left.Store(unarmed)
	in := runInside(t, c, nil, nil)
	panics := 0
	for _, r := range requests() {
		b := in.browser()
		method, target, body := r.prepare(in.place, b)
		looks := c.looks(func() { _, _ = b.do(method, target, body) })
		struck := 0
		for n := 1; n <= looks; n += max(1, looks/rounds(4, looks)) {
			b := in.browser()
			method, target, body := r.prepare(in.place, b)
			c.left.Store(int64(n))
			a, err := b.do(method, target, body)
			hit := c.left.Load() <= 0
			c.left.Store(unarmed)
			if err != nil || hit && a.status != 500 || a.header.Get("X-Request-Id") == "" {
				t.Errorf("%s, a panic at look %d of %d: %v %d %s", r.name, n, looks, err, a.status, a.body)
			}
			if hit {
				struck++
			}
			if a, err = b.do(method, target, body); err != nil || a.status >= 500 {
				t.Errorf("%s, after a panic at look %d of %d: %v %d %s", r.name, n, looks, err, a.status, a.body)
			}
			b.close()
		}
		t.Logf("FLT-21: %s: %d panics at %d looks at the clock", r.name, struck, looks)
		panics += struck
		b.close()
	}
	in.sound()
	if panics < 2*len(requests()) {
		t.Errorf("only %d panics", panics)
	}
}
