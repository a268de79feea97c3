package flow_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"portico/internal/flow"
)

// The admin page asks for a proof again after 15 minutes without a use of it, and twelve hours after the proof. Uses of
// other pages count as little as what another session has kept.
func TestAdminIdle(t *testing.T) {
	t.Parallel()
	b := setup(t)
	other, _ := b.admin("kim@example.org", "192.0.2.1")
	v, p := b.admin("mara@example.org", "192.0.2.1")
	v.must(b.Flows.StepUp(t.Context(), v.Caller, flow.Target{}, digits(p.secret.At(b.clock.Now()))))
	check := func(when, visit string, want error) {
		t.Helper()
		if err := b.Operator.Admin(t.Context(), v.found(), visit); !errors.Is(err, want) {
			t.Errorf("%s: %v, want %v", when, err, want)
		}
	}
	check("after the proof", "", nil)
	b.clock.Advance(flow.AdminIdle - time.Minute)
	check("before the limit", "", nil)
	visit := b.Operator.Visit(v.found())
	b.clock.Advance(flow.AdminIdle - time.Minute)
	check("soon after a use", visit, nil)
	at, sum, _ := strings.Cut(visit, ".")
	foreign := b.Operator.Visit(other.found())
	now, _, _ := strings.Cut(foreign, ".")
	for what, forged := range map[string]string{
		"nothing": "", "of another session": foreign, "with another time": now + "." + sum, "without a hash": at + ".", "no time": "." + sum, "more": visit + "x",
	} {
		check(what, forged, flow.ProofNeeded)
	}
	b.clock.Advance(2 * time.Minute)
	check("after the limit", visit, flow.ProofNeeded)
	v.found()
	check("after a use of another page", visit, flow.ProofNeeded)

	v.must(b.Flows.StepUp(t.Context(), v.Caller, flow.Target{}, digits(p.secret.At(b.clock.Now()))))
	visit = b.Operator.Visit(v.found())
	for range 12*6 - 1 {
		b.clock.Advance(10 * time.Minute)
		check("in use all the time", visit, nil)
		visit = b.Operator.Visit(v.found())
	}
	b.clock.Advance(10 * time.Minute)
	check("twelve hours after the proof", visit, flow.ProofNeeded)
}
