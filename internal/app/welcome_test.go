package app

import (
	"testing"
	"time"

	"portico/internal/account"
	"portico/internal/flow"
	"portico/internal/people"
)

// Emails to imported people that wait are sent after a restart. The pace holds through it.
func TestWelcome_AfterRestart(t *testing.T) {
	t.Parallel()
	cfg := settings(t, t.TempDir())
	before := open(t, cfg, Options{Dist: dist()})
	arrived := []people.Person{{Email: "a@example.org", EmailVerified: true}, {Email: "b@example.org", EmailVerified: true}}
	if _, err := before.Operator.Import(t.Context(), flow.ByOperator, arrived, flow.Import{}); err != nil {
		t.Fatal(err)
	}
	order := flow.Welcoming{Query: account.Query{Limit: account.MostPeople}, Pace: time.Hour}
	if found, err := before.Operator.Welcome(t.Context(), order); err != nil || found[""] != 2 {
		t.Fatalf("the order finds %v (%v)", found, err)
	}
	before.end(t)
	for range 2 {
		a := open(t, cfg, Options{Dist: dist()})
		a.mount(t)
		if err := a.welcome(t.Context()); err != nil {
			t.Fatal(err)
		}
		order.DryRun = true
		found, err := a.Operator.Welcome(t.Context(), order)
		if err != nil || found[flow.WelcomeMailed] != 1 || found[flow.WelcomeQueued] != 1 {
			t.Errorf("within an hour: %v (%v)", found, err)
		}
		a.end(t)
	}
}
