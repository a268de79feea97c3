package flow_test

import (
	"testing"

	"portico/internal/account"
	"portico/internal/fault"
	"portico/internal/flow"
)

func TestSignUp_Name(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		rule        flow.NameRule
		typed, code string
		want        string
	}{
		{flow.NameOff, "Mara", "", ""},
		{flow.NameOff, "Ma\u202era", "", ""},
		{flow.NameOptional, "", "", ""},
		{flow.NameOptional, "  Mara  Lind ", "", "Mara Lind"},
		{flow.NameOptional, "Ma\u202era", account.CodeNameCharacter, ""},
		{flow.NameRequired, "Mara", "", "Mara"},
		{flow.NameRequired, " \u00a0 ", account.CodeNameRequired, ""},
		{flow.NameRequired, " \u200d ", account.CodeNameRequired, ""},
	} {
		b := setup(t, func(c *flow.Config) { c.Names = tt.rule })
		v := b.visitor("192.0.2.1")
		r, err := b.Flows.SignUp(t.Context(), v.Caller, flow.SignUpInput{Name: tt.typed, Email: "mara@example.org", Password: good, Confirm: good})
		if tt.code != "" {
			if fields := fault.From(err).Fields; len(fields) != 1 || fields[0].Code != tt.code || fields[0].Name != "name" {
				t.Errorf("%s, %q: %v, want %s", tt.rule, tt.typed, err, tt.code)
			}
			continue
		}
		v.must(r, err)
		v.must(b.Flows.VerifyCode(t.Context(), v.Caller, r.FlowID, b.next().Data["code"]))
		if found, err := b.Flows.Session(t.Context(), v.Caller.Session); err != nil || found.User.Name != tt.want {
			t.Errorf("%s, %q: the name is %q (%v), want %q", tt.rule, tt.typed, found.User.Name, err, tt.want)
		}
	}
}

// A name that a stranger typed for an address does not become its owner's name.
func TestSignUp_NameOfAStrangerIsDropped(t *testing.T) {
	t.Parallel()
	b := setup(t, func(c *flow.Config) { c.Names = flow.NameOptional })
	stranger, owner := b.visitor("192.0.2.1"), b.visitor("192.0.2.2")
	stranger.must(b.Flows.SignUp(t.Context(), stranger.Caller, flow.SignUpInput{Name: "Mallory", Email: "mara@example.org", Password: good, Confirm: good}))
	r := owner.must(b.Flows.ConfirmLink(t.Context(), owner.Caller, flow.LinkInput{Token: linkToken(b.next()), Anew: true}))
	owner.must(b.Flows.ResetPassword(t.Context(), owner.Caller, flow.ResetInput{FlowID: r.FlowID, Password: another, Confirm: another}))
	if found, err := b.Flows.Session(t.Context(), owner.Caller.Session); err != nil || found.User.Name != "" {
		t.Errorf("the owner is called %q (%v)", found.User.Name, err)
	}
}
