package flow_test

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"portico/internal/code"
	"portico/internal/flow"
)

// from returns a visitor in a /64, with the networks around it.
func (b *bundle) from(third, fourth int) *visitor {
	v := b.visitor(fmt.Sprintf("2001:db8:%x:%x::/64", third, fourth))
	v.Around = [2]string{fmt.Sprintf("2001:db8:%x:%x::/56", third, fourth&^0xff), fmt.Sprintf("2001:db8:%x::/48", third)}
	return v
}

// Failures count for the /64, the /56 and the /48 of the caller.
func TestSignIn_CountsForWiderNetworks(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.visitor("192.0.2.1").register("a@example.org")
	serial := 0
	failed := func(fourth int) (n int) {
		for range 110 {
			serial++
			if _, err := b.from(1, fourth).signIn(fmt.Sprintf("s%d@example.org", serial), good); errors.Is(err, flow.Rejected) {
				n++
			}
		}
		return n
	}
	for i, step := range []struct{ fourth, want int }{{0, 100}, {1, 50}, {0x100, 100}, {0x200, 50}, {0x300, 0}} {
		if got := failed(step.fourth); got != step.want {
			t.Errorf("step %d: %d failures passed in /64 %x, want %d", i, got, step.fourth, step.want)
		}
	}
	v := b.from(2, 0)
	v.must(v.signIn("a@example.org", good))
	b.clock.Advance(10 * time.Minute)
	for range 110 { // right passwords use nothing up
		w := b.from(1, 0)
		w.must(w.signIn("a@example.org", good))
	}
}

// Wrong codes count for the network, over all addresses. Right ones do not.
func TestVerifyCode_CountsForTheNetwork(t *testing.T) {
	t.Parallel()
	b := setup(t)
	var compared, refused int
	for i := range 45 {
		v := b.visitor("198.51.100.1")
		r := v.must(b.Flows.SignUp(t.Context(), v.Caller, flow.SignUpInput{Email: fmt.Sprintf("s%d@example.org", i), Password: good, Confirm: good}))
		digits := b.next().Data["code"]
		if i < 10 {
			v.must(b.Flows.VerifyCode(t.Context(), v.Caller, r.FlowID, digits))
			continue
		}
		for range 5 {
			_, err := b.Flows.VerifyCode(t.Context(), v.Caller, r.FlowID, otherCode(digits))
			if errors.Is(err, code.Locked) {
				refused++
			} else {
				compared++
			}
		}
	}
	if compared != 100 || refused != 75 {
		t.Errorf("%d wrong codes of one network were compared and %d refused, want 100 and 75", compared, refused)
	}
	if n := b.Flows.Stats().Wrong["code"]; n != 100 {
		t.Errorf("%d wrong codes are counted, want 100", n)
	}
}

// A session keeps its network, which tells devices apart on their page. The same holds for a
// session that begins with a new password.
func TestSession_KeepsItsNetwork(t *testing.T) {
	t.Parallel()
	b := setup(t)
	v := b.visitor("192.0.2.1/32")
	v.register("mara@example.com")
	if got := v.found().Session.Peer; got != "192.0.2.1/32" {
		t.Errorf("the network is %q", got)
	}
	v.must(v.Owner.ChangePassword(v.Context(), v.Caller, v.found(), another, another))
	if got := v.found().Session.Peer; got != "192.0.2.1/32" {
		t.Errorf("after a new password the network is %q", got)
	}
}
