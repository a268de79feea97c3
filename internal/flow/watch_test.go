package flow_test

import (
	"context"
	"maps"
	"testing"

	"github.com/google/go-cmp/cmp"

	"portico/internal/flow"
	"portico/internal/ids"
)

// grown returns what counts have grown by since before. A count that was not
// there before is one too many: figures begin at zero and are bounded.
func grown[K comparable](t *testing.T, before, after map[K]uint64) map[K]uint64 {
	t.Helper()
	diff := map[K]uint64{}
	for k, n := range after {
		was, known := before[k]
		if !known {
			t.Errorf("%v is new", k)
		}
		if n != was {
			diff[k] = n - was
		}
	}
	return diff
}

func TestStats(t *testing.T) {
	t.Parallel()
	b := setup(t)
	before := b.Flows.Stats()
	v := b.visitor("192.0.2.1")
	v.register("mara@example.org")
	v.fails(v.Flows.VerifyCode(v.Context(), v.Caller, ids.New(), "123456"))
	v.fails(v.signIn("mara@example.org", "another password of nobody"))
	r := v.must(v.Flows.Recover(v.Context(), v.Caller, "mara@example.org", flow.Target{}))
	m := v.next()
	v.fails(v.Flows.VerifyCode(v.Context(), v.Caller, r.FlowID, "no"))
	r = v.must(v.Flows.ConfirmLink(v.Context(), v.Caller, flow.LinkInput{Token: linkToken(m)}))
	v.must(v.Flows.ResetPassword(v.Context(), v.Caller, flow.ResetInput{FlowID: r.FlowID, Password: good + " 2", Confirm: good + " 2"}))
	v.fails(v.Flows.ConfirmLink(v.Context(), v.Caller, flow.LinkInput{Token: linkToken(m)}))
	v.fails(v.Flows.StartProvider(v.Context(), v.Caller, flow.ProviderInput{ProviderID: "nobody"}))
	gone, leave := context.WithCancel(t.Context())
	leave()
	v.fails(v.Flows.SignIn(gone, v.Caller, flow.SignInInput{Email: "mara@example.org", Password: good}))

	after := b.Flows.Stats()
	want := map[flow.Ended]uint64{
		{Flow: "signup", Step: "signup", Outcome: "done"}:              1,
		{Flow: "signup", Step: "verify-code", Outcome: "done"}:         1,
		{Flow: "unknown", Step: "verify-code", Outcome: "missing"}:     1,
		{Flow: "signin", Step: "signin", Outcome: "unauthenticated"}:   1,
		{Flow: "recovery", Step: "forgot-password", Outcome: "done"}:   1,
		{Flow: "unknown", Step: "verify-code", Outcome: "invalid"}:     1,
		{Flow: "recovery", Step: "confirm-link", Outcome: "done"}:      1,
		{Flow: "recovery", Step: "reset-password", Outcome: "done"}:    1,
		{Flow: "unknown", Step: "confirm-link", Outcome: "conflict"}:   1,
		{Flow: "provider", Step: "start-provider", Outcome: "missing"}: 1,
		{Flow: "signin", Step: "signin", Outcome: "abandoned"}:         1,
	}
	if diff := cmp.Diff(want, grown(t, before.Steps, after.Steps)); diff != "" {
		t.Errorf("steps (-want +got):\n%s", diff)
	}
	// Registered by mail; signed in by that, and by the reset.
	if got := grown(t, before.SignUps, after.SignUps); !maps.Equal(got, map[string]uint64{"mail": 1}) {
		t.Errorf("sign-ups %v", got)
	}
	if got := grown(t, before.SignIns, after.SignIns); !maps.Equal(got, map[string]uint64{"mail": 2}) {
		t.Errorf("sign-ins %v", got)
	}
}

func TestStats_Refused(t *testing.T) {
	t.Parallel()
	b := setup(t)
	v := b.visitor("192.0.2.1")
	before := b.Flows.Stats()
	for range 8 {
		v.fails(v.signIn("nobody@example.org", "a password of nobody"))
	}
	// Two notices a day is the limit of another kind, which is not reached. A
	// transaction that runs twice is counted twice.
	if got := grown(t, before.Refused, b.Flows.Stats().Refused); !maps.Equal(got, map[string]uint64{"password": 3 * runs}) {
		t.Errorf("refused %v", got)
	}
}

// fails expects that a step is not carried out.
func (v *visitor) fails(r flow.Result, err error) {
	v.Helper()
	if err == nil {
		v.Fatalf("the step leads to %s", r.Next)
	}
}
