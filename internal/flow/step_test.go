package flow_test

import (
	"flag"
	"fmt"
	"testing"
	"time"

	"pgregory.net/rapid"

	"portico/internal/flow"
	"portico/internal/outbox"
)

// ASVS 2.3.1, SEC-095: in any order of the calls, no session starts before the
// mailbox is proven, no password changes without the proof, and no step works
// twice.
func TestSteps_Property(t *testing.T) {
	t.Parallel()
	if err := flag.Set("rapid.checks", "25"); err != nil { // each plays hashes of full cost
		t.Fatal(err)
	}
	b := setup(t)
	count := 0
	rapid.Check(t, func(r *rapid.T) {
		count++
		b.clock.Advance(2 * time.Hour) // the limits of the round before have expired
		walk(b, r, fmt.Sprintf("p%d@example.org", count))
	})
}

// walk registers a person, then plays random calls on the person's flows
// against a model of what must be true.
func walk(b *bundle, r *rapid.T, address string) {
	v := b.visitor("198.51.100.7")
	ctx := b.Context()
	begun := v.must(b.Flows.SignUp(ctx, v.Caller, flow.SignUpInput{Email: address, Password: good, Confirm: good}))
	mail := map[string]outbox.Message{begun.FlowID: b.nextTo(address)}
	ids := []string{begun.FlowID}
	proven, reset := map[string]bool{}, map[string]bool{}
	kind := map[string]flow.Kind{begun.FlowID: flow.SignUp}
	exists := false

	for range rapid.IntRange(1, 12).Draw(r, "calls") {
		id := rapid.SampledFrom(ids).Draw(r, "flow")
		switch rapid.SampledFrom([]string{"recover", "wrong", "right", "reset", "cross"}).Draw(r, "call") {
		case "recover":
			if !exists || len(ids) > 3 {
				continue
			}
			next := v.must(b.Flows.Recover(ctx, v.Caller, address, flow.Target{}))
			ids, kind[next.FlowID] = append(ids, next.FlowID), flow.Recovery
			for mail[next.FlowID].Template != "recover" {
				mail[next.FlowID] = b.nextTo(address) // a notice may come before it
			}
		case "wrong":
			got, err := b.Flows.VerifyCode(ctx, v.Caller, id, wrongFor(mail[id].Data["code"], 7))
			if err == nil && (!proven[id] || got.Session != nil) {
				r.Fatalf("a wrong code was taken at %s", kind[id])
			}
		case "cross":
			other := rapid.SampledFrom(ids).Draw(r, "other")
			if other == id || mail[id].Data["code"] == mail[other].Data["code"] {
				continue
			}
			if _, err := b.Flows.VerifyCode(ctx, v.Caller, id, mail[other].Data["code"]); err == nil && !exists {
				r.Fatalf("a code of another flow was taken")
			}
		case "right":
			got, err := b.Flows.VerifyCode(ctx, v.Caller, id, mail[id].Data["code"])
			// The browser that completed the step goes on, for example after a double click.
			if err == nil && proven[id] && (got.Session != nil || got.FlowID != "") {
				r.Fatalf("a code worked twice")
			}
			if err == nil {
				v.keep(got)
				proven[id] = true
				exists = exists || kind[id] == flow.SignUp
			}
		case "reset":
			phrase := fmt.Sprintf("another phrase number %d %s", len(reset), id)
			got, err := b.Flows.ResetPassword(ctx, v.Caller, flow.ResetInput{FlowID: id, Password: phrase, Confirm: phrase})
			if err == nil && (kind[id] != flow.Recovery || !proven[id] || reset[id]) {
				r.Fatalf("a password was set by a flow of kind %s, proven %v, used %v", kind[id], proven[id], reset[id])
			}
			if err == nil {
				v.keep(got)
				reset[id] = true
			}
		}
		if !exists && v.signedIn() != "" {
			r.Fatalf("signed in without a proven address")
		}
	}
}

// nextTo waits for the next mail to an address: one to the person of an earlier
// round may still have been on its way.
func (b *bundle) nextTo(address string) outbox.Message {
	b.Helper()
	for {
		if m := b.next(); m.To == address {
			return m
		}
	}
}
