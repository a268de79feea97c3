package flow_test

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"portico/internal/code"
	"portico/internal/fault"
	"portico/internal/flow"
)

// forgets asks for the recovery of an address and returns the flow.
func (v *visitor) forgets(address string) flow.Result {
	v.Helper()
	return v.must(v.Flows.Recover(v.Context(), v.Caller, address, flow.Target{}))
}

func isHeld(r flow.Result) bool { return r.Held != nil && errors.Is(r.Held, code.Held) }

// flood asks for n mails to the address, each time from another network.
func (b *bundle) flood(address string, n int) {
	b.Helper()
	for i := range n {
		b.visitor(fmt.Sprintf("198.51.100.%d", i)).forgets(address)
	}
}

// Strangers use up what a mailbox gets; the browser in which the owner has
// signed in has the limits of known browsers.
func TestMailCap_LeavesTheOwnersBrowserItsMail(t *testing.T) {
	t.Parallel()
	b := setup(t)
	owner := b.visitor("192.0.2.1")
	owner.register("a@example.org")
	b.flood("a@example.org", 40)
	for range 24 { // the registration was the first of 25
		b.next()
	}
	owner.Peer = "192.0.2.2"
	for i := range 10 {
		if r := owner.forgets("a@example.org"); r.Held != nil || b.next().To != "a@example.org" {
			t.Fatalf("request %d of the owner's browser: %v", i, r.Held)
		}
	}
	if r := owner.forgets("a@example.org"); !isHeld(r) {
		t.Errorf("the owner's browser may send without limit: %v", r.Held)
	}
	if other := b.visitor("192.0.2.2"); other.forgets("a@example.org").Held == nil {
		t.Error("another browser of the owner's network passes as the owner's")
	}
}

// A device of one account is a stranger to every other.
func TestMailCap_KnowsTheBrowserOfThatAccountOnly(t *testing.T) {
	t.Parallel()
	b := setup(t)
	eve := b.visitor("192.0.2.1")
	eve.register("eve@example.org")
	b.flood("a@example.org", 25)
	if r := eve.forgets("a@example.org"); !isHeld(r) {
		t.Errorf("the browser of somebody else: %v", r.Held)
	}
}

// One network cannot keep a mailbox without mail, by the hour or by the day;
// that is so for an account and for somebody who has none yet.
func TestMailCap_OneNetworkHasAShare(t *testing.T) {
	t.Parallel()
	for _, kind := range []string{"forgot-password", "signup"} {
		b := setup(t)
		b.visitor("192.0.2.1").register("a@example.org")
		asks := func(peer, address string) *fault.Error {
			v := b.visitor(peer)
			if kind == "signup" {
				return v.must(b.Flows.SignUp(t.Context(), v.Caller, flow.SignUpInput{Email: address, Password: good, Confirm: good})).Held
			}
			return v.forgets(address).Held
		}
		b.clock.Advance(time.Hour)
		for _, address := range []string{"a@example.org", "new@example.org"} {
			sent := 0
			for range 4 {
				for range 5 {
					if asks("198.51.100.1", address) == nil {
						sent++
					}
				}
				if held := asks("203.0.113.1", address); held != nil && sent < 10 {
					t.Errorf("%s: %s gets no mail after %d of one network: %v", kind, address, sent, held.RetryAfter)
				}
				b.clock.Advance(time.Hour)
			}
			if sent != 10 {
				t.Errorf("%s: one network had %d mails sent to %s in a day, want 10", kind, sent, address)
			}
		}
	}
}

// A page does not say that an email was sent if none was. It says the same for an
// address without an account: only its first request of the day causes an email,
// but all are counted.
func TestMailCap_IsToldAlikeForEveryAddress(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.visitor("192.0.2.1").register("a@example.org")
	b.clock.Advance(time.Hour)
	var told [2]string
	for i, address := range []string{"a@example.org", "nobody@example.org"} {
		b.clock.Advance(2 * time.Hour)
		b.flood(address, 25)
		b.clock.Advance(time.Minute)
		v := b.visitor("192.0.2.9")
		r := v.forgets(address)
		view, err := b.Flows.View(t.Context(), v.Caller, r.FlowID)
		if err != nil || view.State() != "held" || !view.SentAt.IsZero() {
			t.Fatalf("%s: %q, sent at %v (%v)", address, view.State(), view.SentAt, err)
		}
		_, again := b.Flows.Resend(t.Context(), v.Caller, r.FlowID)
		if !errors.Is(again, code.Held) {
			t.Errorf("%s: Resend answers %v", address, again)
		}
		told[i] = fmt.Sprint(r.Held.RetryAfter, view.Held.RetryAfter, view.ResendAt.Sub(view.Now), fault.From(again).RetryAfter)

		b.clock.Advance(59 * time.Minute)
		v.must(b.Flows.Resend(t.Context(), v.Caller, r.FlowID))
		if view, _ = b.Flows.View(t.Context(), v.Caller, r.FlowID); view.State() != "code" || !view.SentAt.Equal(b.clock.Now()) {
			t.Errorf("%s: after the wait %q, sent at %v", address, view.State(), view.SentAt)
		}
	}
	if told[0] != told[1] || told[0] != "59m0s 59m0s 59m0s 59m0s" {
		t.Errorf("told of an account %q, of none %q", told[0], told[1])
	}
}

// A flow that has sent a code keeps saying when: a re-send that is held back is
// no new one.
func TestResend_HeldBackIsNoNewMail(t *testing.T) {
	t.Parallel()
	b := setup(t)
	v := b.visitor("192.0.2.1")
	r := v.must(b.Flows.SignUp(t.Context(), v.Caller, flow.SignUpInput{Email: "a@example.org", Password: good, Confirm: good}))
	sent, digits := b.clock.Now(), b.next().Data["code"]
	b.flood("a@example.org", 25)
	b.clock.Advance(time.Minute)
	if _, err := b.Flows.Resend(t.Context(), v.Caller, r.FlowID); !errors.Is(err, code.Held) || fault.From(err).RetryAfter != 59*time.Minute {
		t.Errorf("Resend answers %v", err)
	}
	if view, err := b.Flows.View(t.Context(), v.Caller, r.FlowID); err != nil || !view.SentAt.Equal(sent) || view.State() != "code" {
		t.Errorf("the mail of %v is said to be of %v (%v)", sent, view.SentAt, err)
	}
	v.must(b.Flows.VerifyCode(t.Context(), v.Caller, r.FlowID, digits))
}

// An operator lifts the limits of an address, with and without an account.
func TestUnlock(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.visitor("192.0.2.1").register("a@example.org")
	for _, address := range []string{"a@example.org", "new@example.org"} {
		b.flood(address, 26)
		stranger := b.visitor("192.0.2.2")
		for range 6 {
			_, _ = stranger.signIn(address, "wrong "+good)
		}
		if _, err := stranger.signIn(address, "wrong "+good); fault.From(err).Kind != fault.Limited {
			t.Fatalf("%s is not locked: %v", address, err)
		}
		if err := b.Operator.Unlock(t.Context(), flow.ByOperator, address); err != nil {
			t.Fatal(err)
		}
		if _, err := stranger.signIn(address, "wrong "+good); !errors.Is(err, flow.Rejected) {
			t.Errorf("%s: a password still waits: %v", address, err)
		}
		if r := b.visitor("192.0.2.3").forgets(address); r.Held != nil {
			t.Errorf("%s: mail still waits: %v", address, r.Held)
		}
	}
	if err := b.Operator.Unlock(t.Context(), flow.ByOperator, "no address"); fault.From(err).Kind != fault.Invalid {
		t.Errorf("no address: %v", err)
	}
}

// A network that has caused no email to the mailbox today still gets one, for
// an account and for an address without. A second one waits.
func TestMailCap_LeavesAFreshNetworkOneMail(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.visitor("192.0.2.1").register("a@example.org")
	b.clock.Advance(25 * time.Hour)
	var waits []string
	for _, address := range []string{"a@example.org", "nobody@example.org"} {
		for i := range 10 {
			v := b.visitor(fmt.Sprintf("198.51.100.%d", i))
			for range 4 {
				v.forgets(address)
			}
		}
		v := b.visitor("203.0.113.1")
		r := v.forgets(address)
		if r.Held != nil {
			t.Fatalf("%s: a fresh network gets no mail: %v", address, r.Held)
		}
		if view, err := b.Flows.View(t.Context(), v.Caller, r.FlowID); err != nil || view.State() != "code" {
			t.Errorf("%s: the page says %q (%v)", address, view.State(), err)
		}
		again := v.forgets(address)
		if !isHeld(again) {
			t.Fatalf("%s: the fresh network gets a second mail", address)
		}
		waits = append(waits, again.Held.RetryAfter.String())
	}
	if waits[0] != waits[1] {
		t.Errorf("the waits tell who has an account: %v", waits)
	}
}

// The owner of a /48 has 65,536 networks. They are one fresh network.
func TestMailCap_CountsASiteOnce(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.visitor("192.0.2.1").register("a@example.org")
	b.clock.Advance(25 * time.Hour)
	sent := 0
	for i := range 40 {
		v := b.visitor(fmt.Sprintf("2001:db8:1:%x::/64", i))
		v.Around = [2]string{fmt.Sprintf("2001:db8:1:%x::/56", i&^0xff), "2001:db8:1::/48"}
		if v.forgets("a@example.org").Held == nil {
			sent++
		}
	}
	if sent != 6 {
		t.Errorf("one site caused %d mails, want the five of the hour and one", sent)
	}
	if r := b.visitor("203.0.113.1").forgets("a@example.org"); r.Held != nil {
		t.Errorf("another network gets no mail: %v", r.Held)
	}
}

// A stranger's wrong codes keep neither the owner's browser from its code, nor
// its password, whatever else happens in that network.
func TestGuesses_LeaveTheOwnersBrowserItsOwn(t *testing.T) {
	t.Parallel()
	b := setup(t)
	owner := b.visitor("192.0.2.1")
	owner.register("a@example.org")
	b.clock.Advance(time.Hour)
	for i := range 3 {
		stranger := b.visitor(owner.Peer)
		r := stranger.forgets("a@example.org")
		digits := b.next().Data["code"]
		for range 5 {
			_, err := b.Flows.VerifyCode(t.Context(), stranger.Caller, r.FlowID, otherCode(digits))
			if i == 2 && fault.From(err).Kind != fault.Limited {
				t.Fatalf("an eleventh guess for the address: %v", err)
			}
		}
	}
	for i := range 110 { // failures that use up the network
		_, _ = b.visitor(owner.Peer).signIn(fmt.Sprintf("s%d@example.org", i), good)
	}
	if _, err := b.visitor(owner.Peer).signIn("other@example.org", good); fault.From(err).Kind != fault.Limited {
		t.Fatalf("the network is not used up: %v", err)
	}
	owner.must(owner.signIn("a@example.org", good))
	r := owner.forgets("a@example.org")
	owner.must(b.Flows.VerifyCode(t.Context(), owner.Caller, r.FlowID, owner.next().Data["code"]))
}

// otherCode returns a code that is wrong.
func otherCode(digits string) string {
	if digits == "000000" {
		return "111111"
	}
	return "000000"
}
