package security

import (
	"strings"
	"testing"
)

func TestSEC095_StepsCannotBeSkipped(t *testing.T) {
	announce(t)
	t.Parallel()
	s, p := startWithIDP(t, true)
	known := fresh("v")
	s.operator(known, good)
	flows := func(v *visitor) map[string]string {
		return map[string]string{
			"sign-up":  v.signUp(fresh("n"), good),
			"recovery": v.forgot(known),
			"provider": v.leave("acme", nil).Get("state"),
			"link":     linkFlow(t, v.continueWith(p.says(object{"sub": fresh("s"), "email": known, "email_verified": true}))),
		}
	}
	v := s.visitor()
	for kind, flow := range flows(v) {
		for name, a := range map[string]*answer{
			"a new password before the code": v.reset(flow, other),
			"nothing":                        v.do("POST", "/auth/api/verify-code", "", v.ours("application/json")),
			"an empty object":                v.post("verify-code", object{}),
			"no code":                        v.post("verify-code", object{"flow": flow}),
			"null":                           v.post("verify-code", object{"flow": flow, "code": nil}),
			"a list":                         v.post("verify-code", object{"flow": flow, "code": []string{"000000"}}),
			"a number":                       v.post("verify-code", object{"flow": flow, "code": 0}),
			"a step of its own choice":       v.post("verify-code", object{"flow": flow, "code": "000000", "step": "done"}),
			"a level of its own choice":      v.post("verify-code", object{"flow": flow, "code": "000000", "aal": "2"}),
			"a session by the flow alone":    v.do("GET", "/auth/api/session?flow="+flow, "", nil),
			"a link without a link":          v.post("confirm-link", object{}),
			"a sign-in by the flow alone":    v.post("signin", object{"email": known, "password": "wrong", "flow": flow}),
		} {
			if a.status < 400 || a.status >= 500 || v.whoami() != "" {
				t.Errorf("%s: %s gets status %d %s, signed in %q", kind, name, a.status, a.body, v.whoami())
			}
		}
		for _, page := range []string{"/auth/reset-password?flow=", "/auth/verify-code?flow=", "/auth/account?flow="} {
			if a := v.get(page + flow); strings.Contains(a.header.Get("Location"), "reset-password") || a.status == 200 && strings.HasPrefix(page, "/auth/reset") {
				t.Errorf("%s: %s%s gets status %d", kind, page, flow, a.status)
			}
		}
		s.clock.Advance(2 << 30) // two seconds later: the wait after wrong passwords must not be the reason for a refusal
	}
	// Two steps at once: one code, with a new password each. Either may come
	// first.
	w := s.visitor()
	flow := w.forgot(known)
	code := lastCode(s, s.mail, known)
	atOnce(8, func(i int) {
		if i%2 == 0 {
			_, _ = w.try("POST", "/auth/api/reset-password", encode(object{"flow": flow, "password": other, "confirm_password": other}), w.ours("application/json"))
		} else {
			_, _ = w.try("POST", "/auth/api/verify-code", encode(object{"flow": flow, "code": code}), w.ours("application/json"))
		}
	})
	if n := s.count(`SELECT COUNT(*) FROM audit WHERE name = 'password_changed'`); n > 1 {
		t.Errorf("the password was set %d times by one code", n)
	}
}

func linkFlow(t *testing.T, next string) string {
	t.Helper()
	_, flow, ok := strings.Cut(next, "/auth/signin?flow=")
	if !ok {
		t.Fatalf("sent to %s", next)
	}
	return flow
}
