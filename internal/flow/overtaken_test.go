package flow_test

import (
	"errors"
	"testing"
	"time"

	"portico/internal/code"
	"portico/internal/flow"
)

// After a sign-up in two browsers was finished in one, the other learns that there
// is an account, because no reload of a step helps.
func TestVerifyCode_Overtaken(t *testing.T) {
	t.Parallel()
	b := setup(t)
	first, second := b.visitor("192.0.2.1"), b.visitor("192.0.2.2")
	in := flow.SignUpInput{Email: "mara@example.org", Password: good, Confirm: good}
	begun := first.must(b.Flows.SignUp(t.Context(), first.Caller, in))
	m := b.next()
	second.register("mara@example.org")
	if _, err := b.Flows.VerifyCode(t.Context(), first.Caller, begun.FlowID, m.Data["code"]); !errors.Is(err, flow.SignUpTaken) {
		t.Errorf("the code of the first: %v", err)
	}
}

// Another code is one for the account of now, which was made or has changed since the flow began. Those before end.
func TestResend_ForTheAccountOfNow(t *testing.T) {
	t.Parallel()
	b := setup(t, func(c *flow.Config) { c.ByCode = true })
	v, owner := b.visitor("192.0.2.1"), b.visitor("192.0.2.2")
	mailed := func() (digits string) {
		for digits == "" {
			digits = b.next().Data["code"]
		}
		return digits
	}
	again := func(id string) string {
		b.clock.Advance(time.Minute)
		v.must(b.Flows.Resend(t.Context(), v.Caller, id))
		return mailed()
	}
	begun := v.must(b.Flows.SendCode(t.Context(), v.Caller, "mara@example.org", flow.Target{}))
	b.next() // that there is no account
	owner.register("mara@example.org")
	v.must(b.Flows.VerifyCode(t.Context(), v.Caller, begun.FlowID, again(begun.FlowID)))
	if v.signedIn() != "mara@example.org" {
		t.Errorf("signed in as %q", v.signedIn())
	}
	begun = v.must(b.Flows.Recover(t.Context(), v.Caller, "mara@example.org", flow.Target{}))
	before := mailed()
	if err := b.Operator.SetUserPassword(t.Context(), flow.ByOperator, b.user("mara@example.org"), "seven hills under a paper lantern"); err != nil {
		t.Fatal(err)
	}
	after := again(begun.FlowID)
	if _, err := b.Flows.VerifyCode(t.Context(), v.Caller, begun.FlowID, before); !errors.Is(err, code.Used) {
		t.Errorf("the code from before the change: %v", err)
	}
	if r := v.must(b.Flows.VerifyCode(t.Context(), v.Caller, begun.FlowID, after)); r.Next != "/auth/reset-password?flow="+begun.FlowID {
		t.Errorf("the new code leads to %s", r.Next)
	}
}

// The link of another code is good for a sign-up whose address an account had when the flow began, and has no longer.
func TestResend_ForAnAddressThatIsFreeNow(t *testing.T) {
	t.Parallel()
	b, _ := registered(t)
	v := b.visitor("192.0.2.2")
	begun := v.must(b.Flows.SignUp(t.Context(), v.Caller, flow.SignUpInput{Email: "mara@example.org", Password: good, Confirm: good}))
	if err := b.Operator.SetUserAddress(t.Context(), flow.ByOperator, b.user("mara@example.org").ID, "noor@example.org"); err != nil {
		t.Fatal(err)
	}
	b.clock.Advance(time.Minute)
	v.must(b.Flows.Resend(t.Context(), v.Caller, begun.FlowID))
	mail := b.next()
	for mail.Data["code"] == "" {
		mail = b.next()
	}
	if link, err := b.Flows.ViewLink(t.Context(), v.Caller, linkToken(mail)); err != nil || link.Fault != nil {
		t.Errorf("the link shows %v, %v", link.Fault, err)
	}
}
