package flow_test

import (
	"slices"
	"testing"
	"time"

	"portico/internal/audit"
	"portico/internal/flow"
)

// The history says "signed in" only where a browser was not signed in before: not for what an
// owner adds, nor for a proof that a change asks for.
func TestHistory_SignsInOnce(t *testing.T) {
	t.Parallel()
	b, v := registered(t, withPasskeys(t))
	begins := len(b.store.facts.all())
	wants := func(when string, want ...string) {
		t.Helper()
		var got []string
		for _, f := range b.store.facts.all()[begins:] {
			got = append(got, string(f.Name)+" "+f.Detail)
		}
		if !slices.Equal(got, want) {
			t.Errorf("%s: %q, want %q", when, got, want)
		}
		begins = len(b.store.facts.all())
	}
	again := func() {
		t.Helper()
		v.must(v.signIn("mara@example.org", good))
	}
	again()
	wants("the password again", "proof_given password")
	held := v.adds()
	wants("a passkey", "passkey_added "+b.record(audit.PasskeyAdded).Detail)
	p := v.enrols()
	wants("an app", "factor_added totp")
	b.clock.Advance(time.Minute)
	v.must(b.Flows.StepUp(t.Context(), v.Caller, flow.Target{}, digits(p.secret.At(b.clock.Now()))))
	wants("the app", "proof_given totp")
	v.must(v.uses(held))
	wants("the passkey", "proof_given passkey")
	b.clock.Advance(60 * 24 * time.Hour)
	v.must(v.uses(held))
	wants("after the session has expired", "signed_in passkey")
	v.Caller.Session = ""
	v.must(v.uses(held))
	wants("without a session", "signed_in passkey")
}
