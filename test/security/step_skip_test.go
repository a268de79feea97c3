package security

import (
	"strings"
	"testing"
	"time"

	"portico/internal/flow"
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
			"link":     joinFlow(t, v.continueWith(p.says(object{"sub": fresh("s"), "email": known, "email_verified": true}))),
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

// The steps after the first proof: a second factor, and the enrolment that is needed in
// its place. Nothing but the right code ends them.
func TestSEC095_TheSecondStepCannotBeSkipped(t *testing.T) {
	announce(t)
	t.Parallel()
	s := start(t, requiring(0, "role:admin"))
	_, p := s.protected()
	_, stranger := s.protected()
	needs := fresh("n")
	a := s.operator(needs, good)
	if err := s.app.Operator.SetUserRoles(t.Context(), flow.ByOperator, a.ID, []string{"admin"}); err != nil {
		t.Fatal(err)
	}
	waiting, factor := p.pending()
	bare := s.visitor()
	protect := bare.bare(needs)
	for kind, at := range map[string]struct {
		v          *visitor
		flow, page string
	}{"the second factor": {waiting, factor, "/auth/mfa"}, "the enrolment": {bare, protect, "/auth/protect"}} {
		v, flow := at.v, at.flow
		key := object{"flow": flow, "credential": "AA", "client_data": "AA", "authenticator_data": "AA", "signature": "AA", "user_handle": "AA", "second": flow}
		for name, sent := range map[string]struct {
			operation string
			body      object
		}{
			"nothing":                    {"mfa", object{}},
			"no code":                    {"mfa", object{"flow": flow}},
			"null":                       {"mfa", object{"flow": flow, "code": nil}},
			"no text":                    {"mfa", object{"flow": flow, "code": 0}},
			"an empty code":              {"mfa", object{"flow": flow, "code": ""}},
			"an unknown way":             {"mfa", object{"flow": flow, "code": "000000", "way": "sms"}},
			"a way that is null":         {"mfa", object{"flow": flow, "code": "", "way": nil}},
			"a level of its own choice":  {"mfa", object{"flow": flow, "code": p.code(), "aal": 2}},
			"the code of another user":   {"mfa", object{"flow": flow, "code": stranger.code()}},
			"recovery by another user":   {"mfa", object{"flow": flow, "code": stranger.codes[0], "way": "recovery"}},
			"the enrolment, no code":     {"protect", object{"flow": flow}},
			"the enrolment, wrong code":  {"protect", object{"flow": flow, "code": "000000"}},
			"later":                      {"protect/later", object{"flow": flow}},
			"saved codes":                {"factors/saved", object{"flow": flow}},
			"a new app":                  {"factors/add", object{"account": flow}},
			"the confirmation of an app": {"factors/confirm", object{"flow": flow, "code": "000000"}},
			"an emailed code":            {"verify-code", object{"flow": flow, "code": "000000"}},
			"a new password":             {"reset-password", object{"flow": flow, "password": other, "confirm_password": other}},
			"a first passkey":            {"signup/passkey/begin", object{"flow": flow}},
			"a passkey":                  {"passkey", key},
			"the step after it":          {"keep", object{"flow": flow}},
			"the terms":                  {"terms", object{"flow": flow, "version": "1"}},
		} {
			got := v.post(sent.operation, sent.body)
			if v.cookie("session") != "" || v.whoami() != "" {
				t.Fatalf("%s: %s signs in", kind, name)
			}
			if sent.operation != "factors/saved" && (got.status < 400 || got.status >= 500) {
				t.Errorf("%s: %s gets %d %s", kind, name, got.status, got.body)
			}
		}
		for _, page := range []string{"/auth/account", "/auth/account/factors?flow=" + flow, "/auth/signin"} {
			if to := v.get(page).header.Get("Location"); !strings.HasPrefix(to, at.page) && !strings.HasPrefix(to, "/auth/signin") {
				t.Errorf("%s: %s leads to %q", kind, page, to)
			}
		}
	}
	if n := s.count(`SELECT COUNT(*) FROM audit WHERE name = 'factor_failed' AND account_id = (SELECT id FROM account WHERE address = $1)`, p.address); n != 2 {
		t.Errorf("%d wrong factors are recorded, want 2", n)
	}
	s.clock.Advance(2 * time.Hour)
	again, flow := p.pending()
	again.give(flow, p.code()).must(200)
	if again.whoami() != p.address {
		t.Error("the right code does not sign in")
	}
}

func joinFlow(t *testing.T, next string) string {
	t.Helper()
	_, flow, ok := strings.Cut(next, "/auth/signin?flow=")
	if !ok {
		t.Fatalf("sent to %s", next)
	}
	return flow
}
