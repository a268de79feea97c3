package flow_test

import (
	"errors"
	"testing"

	"portico/internal/flow"
)

// Only addresses of the domains may sign up or replace an address. The page is the same for
// all, and the mailbox learns why. What was mailed before does not work either.
func TestDomains(t *testing.T) {
	t.Parallel()
	var cfg flow.Config
	b := setup(t, func(c *flow.Config) { cfg = *c })
	limit := func(domains ...string) {
		cfg.Domains, cfg.Before = domains, &b.All
		b.All = flow.New(cfg)
	}
	early := b.visitor("192.0.2.9")
	before := early.sends(flow.SignUp, "early@example.net", good)
	old := b.next()
	limit("example.org")
	if _, err := b.Flows.VerifyCode(t.Context(), early.Caller, before.FlowID, old.Data["code"]); !errors.Is(err, flow.SignUpDomain) {
		t.Errorf("a code from before: %v", err)
	}
	for _, address := range []string{"noor@example.net", "noor@sub.example.org", "example.org@example.net"} {
		v := b.visitor("192.0.2.2")
		r := v.sends(flow.SignUp, address, good)
		if m := b.next(); m.Template != "address-outside" || m.To != address || m.Data["code"] != "" || m.Data["link"] != "" {
			t.Errorf("%s: %+v", address, m)
		}
		if view, err := b.Flows.View(t.Context(), v.Caller, r.FlowID); err != nil || view.State() != "code" || view.Kind != flow.SignUp {
			t.Errorf("%s: %+v, %v", address, view, err)
		}
		b.clock.Advance(31e9)
		v.must(b.Flows.Resend(t.Context(), v.Caller, r.FlowID))
		if m := b.next(); m.Template != "address-outside" {
			t.Errorf("%s, again: %+v", address, m)
		}
	}
	mara := b.visitor("192.0.2.1")
	mara.register("Mara@Example.org")
	r, m := mara.asks("mara@example.net")
	if m.Template != "address-outside" || m.Data["code"] != "" {
		t.Errorf("a change of the address: %+v", m)
	}
	if view, err := b.Flows.View(t.Context(), mara.Caller, r.FlowID); err != nil || view.State() != "code" {
		t.Errorf("%+v, %v", view, err)
	}
	limit()
	r, m = mara.asks("mara@example.com")
	limit("example.org")
	if _, err := b.Flows.VerifyCode(t.Context(), mara.Caller, r.FlowID, m.Data["code"]); !errors.Is(err, flow.SignUpDomain) {
		t.Errorf("a change from before: %v", err)
	}
	mara.recovers("safe@example.net", 2) // for a recovery, any address is good
	if _, err := b.Owner.MakePrimary(t.Context(), mara.Caller, mara.found(), "safe@example.net"); !errors.Is(err, flow.SignUpDomain) {
		t.Errorf("the address for recovery: %v", err)
	}
	mara.moves("mara2@example.org")
	if mara.signedIn() != "mara2@example.org" || b.hasAccount("early@example.net") || b.hasAccount("noor@example.net") {
		t.Errorf("%s is signed in, or an account was made", mara.signedIn())
	}
}
