package flow_test

import (
	"errors"
	"testing"

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
