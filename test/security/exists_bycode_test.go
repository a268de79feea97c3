package security

import (
	"net/url"
	"strings"
	"testing"
	"time"

	"portico/internal/config"
)

func byCode(c *config.Config) { c.SignIn.Code = true }

// sendCode asks for a code to sign in with, and returns the flow.
func (v *visitor) sendCode(address string) string {
	v.Helper()
	return v.post("signin-code", object{"email": address}).flow()
}

func TestSEC265_ACodeTellsNothing(t *testing.T) {
	announce(t)
	t.Parallel()
	s := start(t, byCode)
	people := s.cast()
	flows := map[string]string{}
	visitors := map[string]*visitor{}
	for _, encoding := range []string{"script", "form"} {
		answers := map[string]*answer{}
		for kind, address := range people.all() {
			v := s.visitor()
			if encoding == "form" {
				answers[kind] = v.form("/auth/signin-code", url.Values{"email": {address}}).must(303)
				continue
			}
			answers[kind] = v.post("signin-code", object{"email": address}).must(200)
			flows[kind], visitors[kind] = answers[kind].flow(), v
		}
		alike(t, answers)
	}
	// Guesses count together over the flow, and are refused alike.
	for try := range 6 {
		answers := map[string]*answer{}
		for kind, v := range visitors {
			answers[kind] = v.verify(flows[kind], "000001")
		}
		alike(t, answers)
		if a := answers["active"]; try < 5 && a.status != 422 && a.status != 429 || try == 5 && a.status == 200 {
			t.Errorf("guess %d gets status %d", try+1, a.status)
		}
	}
	s.settle()
	for _, m := range s.mail.to(people.nobody) {
		if strings.Contains(m.raw, "/auth/confirm-link") {
			t.Error("an address without an account gets a link")
		}
	}
}

func TestSEC266_ACodeIsOneFactor(t *testing.T) {
	announce(t)
	t.Parallel()
	s := start(t, byCode)
	_, p := s.protected()
	v := s.visitor()
	flow := v.sendCode(p.address)
	email := s.mail.next(p.address)
	for !strings.Contains(email.raw, "/auth/confirm-link") {
		email = s.mail.next(p.address)
	}
	next := v.verify(flow, email.code(t)).next()
	if !strings.HasPrefix(next, "/auth/mfa?flow=") || v.whoami() != "" {
		t.Fatalf("the code leads to %s", next)
	}
	if a := v.verify(flow, email.code(t)); a.status == 200 || v.whoami() != "" {
		t.Errorf("the code works twice, with status %d", a.status)
	}
	v.give(strings.TrimPrefix(next, "/auth/mfa?flow="), p.code()).must(200)
	if v.whoami() != p.address {
		t.Error("with both factors there is no session")
	}

	address := fresh("v")
	s.operator(address, good)
	w := s.visitor()
	waiting := w.sendCode(address)
	code := s.mail.next(address).code(t)
	if a := s.visitor().verify(waiting, code); a.status != 404 {
		t.Errorf("another browser uses the code with status %d", a.status)
	}
	s.config.SignIn.Code = false
	s.restart()
	if a := w.verify(waiting, code); a.status == 200 || w.whoami() != "" {
		t.Errorf("the operator has turned it off, and the code gets status %d", a.status)
	}
	w.post("signin-code", object{"email": address}).refused(404, "signin.code_off")
	s.config.SignIn.Code = true
	s.restart()
	s.clock.Advance(time.Minute)
	x := s.visitor()
	again := x.sendCode(address)
	x.verify(again, s.mail.next(address).code(t)).must(200)
	if x.whoami() != address {
		t.Error("an account without a second factor is not signed in")
	}
}
