package flow_test

import (
	"errors"
	"testing"

	"portico/internal/flow"
)

// Who registers in two browsers and ends in one is told, in the other, that
// there is an account: no reload of a step helps.
func TestVerifyCode_Overtaken(t *testing.T) {
	t.Parallel()
	b := setup(t)
	first, second := b.visitor("192.0.2.1"), b.visitor("192.0.2.2")
	in := flow.SignUpInput{Email: "mara@example.org", Password: good, Confirm: good}
	begun := first.must(b.flows.SignUp(t.Context(), first.Caller, in))
	m := b.next()
	second.register("mara@example.org")
	if _, err := b.flows.VerifyCode(t.Context(), first.Caller, begun.FlowID, m.Data["code"]); !errors.Is(err, flow.SignUpTaken) {
		t.Errorf("the code of the first: %v", err)
	}
}
