package flow_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"portico/internal/flow"
	"portico/internal/session"
)

// The admin page asks for a proof again after 30 minutes without a use of it. Uses of other pages
// count as little as what another session has kept.
func TestAdminIdle(t *testing.T) {
	t.Parallel()
	b := setup(t)
	enters := func(address string) (*visitor, phone) {
		if _, err := b.Operator.CreateUser(t.Context(), flow.ByOperator, address, "", good, flow.RoleAdmin); err != nil {
			t.Fatal(err)
		}
		v := b.visitor("192.0.2.1")
		v.must(v.signIn(address, good))
		return v, v.enrols()
	}
	found := func(v *visitor) session.Found {
		t.Helper()
		f, err := b.Flows.Session(t.Context(), v.Caller.Session)
		if err != nil {
			t.Fatal(err)
		}
		return f
	}
	other, _ := enters("kim@example.org")
	v, p := enters("mara@example.org")
	v.must(b.Flows.StepUp(t.Context(), v.Caller, flow.Target{}, digits(p.secret.At(b.clock.Now()))))
	check := func(when, visit string, want error) {
		t.Helper()
		if err := b.Operator.Admin(t.Context(), found(v), visit); !errors.Is(err, want) {
			t.Errorf("%s: %v, want %v", when, err, want)
		}
	}
	check("after the proof", "", nil)
	b.clock.Advance(flow.AdminIdle - time.Minute)
	check("before the limit", "", nil)
	visit := b.Operator.Visit(found(v))
	b.clock.Advance(flow.AdminIdle - time.Minute)
	check("soon after a use", visit, nil)
	at, sum, _ := strings.Cut(visit, ".")
	foreign := b.Operator.Visit(found(other))
	now, _, _ := strings.Cut(foreign, ".")
	for what, forged := range map[string]string{
		"nothing": "", "of another session": foreign, "with another time": now + "." + sum, "without a hash": at + ".", "no time": "." + sum, "more": visit + "x",
	} {
		check(what, forged, flow.ProofNeeded)
	}
	b.clock.Advance(2 * time.Minute)
	check("after the limit", visit, flow.ProofNeeded)
	found(v)
	check("after a use of another page", visit, flow.ProofNeeded)
}
