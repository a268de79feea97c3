package flow_test

import (
	"errors"
	"testing"
	"time"

	"portico/internal/flow"
)

// What was made in the future of the clock does not wait for it.
func TestTicket_ClockSetBack(t *testing.T) {
	t.Parallel()
	b := setup(t)
	v := b.visitor("192.0.2.1")
	v.register("mara@example.org")
	const host, nonce = "app.example.org", "of the browser"
	bind := b.Flows.Bind(host, nonce)
	ticket, err := b.Flows.IssueTicket(t.Context(), v.Caller.Session, host, bind)
	if err != nil {
		t.Fatal(err)
	}
	b.clock.Advance(-time.Hour)
	if _, err := b.Flows.IssueTicket(t.Context(), v.Caller.Session, host, bind); !errors.Is(err, flow.Unknown) {
		t.Errorf("the bind: %v", err)
	}
	if _, err := b.Flows.RedeemTicket(t.Context(), ticket, host); !errors.Is(err, flow.Unknown) {
		t.Errorf("the ticket: %v", err)
	}
}
