package flow_test

import (
	"errors"
	"slices"
	"testing"
	"time"

	"portico/internal/factor"
	"portico/internal/fault"
	"portico/internal/flow"
)

// makesCodes returns the page of new recovery codes.
func (v *visitor) makesCodes() flow.FactorsView {
	v.Helper()
	r := v.must(v.Owner.MakeCodes(v.Context(), v.Caller, v.found(), flow.Target{}))
	page, err := v.Owner.Enrolment(v.Context(), v.Caller, v.found(), r.FlowID)
	if err != nil {
		v.Fatal(err)
	}
	return page
}

// A page with codes shows them no more after another tab has replaced them. Another change of the account leaves them there.
func TestMakeCodes_ReplacedInAnotherTab(t *testing.T) {
	t.Parallel()
	b, v := registered(t, withPasskeys(t))
	v.adds()
	begins := func() string {
		return v.must(b.Owner.MakeCodes(t.Context(), v.Caller, v.found(), flow.Target{})).FlowID
	}
	shows := func(id string) flow.FactorsView {
		page, err := b.Owner.Enrolment(t.Context(), v.Caller, v.found(), id)
		if err != nil {
			t.Fatal(err)
		}
		return page
	}
	first, second := begins(), begins()
	if page := shows(first); page.Step != "" || len(page.Codes) > 0 || !page.Overtaken {
		t.Errorf("the codes that were replaced: %+v", page)
	}
	v.adds()
	v.must(b.Flows.StepUp(t.Context(), v.Caller, flow.Target{}, recovery(shows(second).Codes[0])))
	if page := shows(second); len(page.Codes) != factor.Codes || page.Overtaken {
		t.Errorf("the codes of the account: %+v", page)
	}
}

// An owner who has lost the only passkey removes it with a recovery code. The other
// codes go with it.
func TestMakeCodes_ForAPasskey(t *testing.T) {
	t.Parallel()
	b, v := registered(t, withPasskeys(t))
	if _, err := b.Owner.MakeCodes(t.Context(), v.Caller, v.found(), flow.Target{}); !errors.Is(err, factor.Missing) {
		t.Errorf("codes in place of nothing: %v", err)
	}
	v.adds()
	alone := func() bool {
		page, err := b.Owner.OwnPasskeys(t.Context(), v.found())
		if err != nil {
			t.Fatal(err)
		}
		return page.Alone
	}
	if !alone() {
		t.Error("the page offers no recovery codes")
	}
	page := v.makesCodes()
	if len(page.Codes) == 0 || !page.Any || alone() {
		t.Fatalf("%d codes are shown, for a passkey %v, still alone %v", len(page.Codes), page.Any, alone())
	}
	b.clock.Advance(time.Hour)
	v.must(v.signIn("mara@example.org", good))
	held, err := b.Owner.Passkeys(t.Context(), v.found().User.ID)
	if err != nil {
		t.Fatal(err)
	}
	remove := func() error { return b.Owner.RemovePasskey(t.Context(), v.Caller, v.found(), held[0].ID) }
	if err := remove(); !errors.Is(err, flow.ProofNeeded) {
		t.Errorf("a password alone removes a passkey: %v", err)
	}
	v.must(b.Flows.StepUp(t.Context(), v.Caller, flow.Target{}, recovery(page.Codes[0])))
	if err := remove(); err != nil {
		t.Fatal(err)
	}
	if left, err := b.Owner.Factors(t.Context(), v.found().User.ID); err != nil || left.Left != 0 {
		t.Errorf("%d codes are left in place of nothing, %v", left.Left, err)
	}
}

// The codes go with the last app, unless a passkey needs them.
func TestRemoveFactor_Codes(t *testing.T) {
	t.Parallel()
	for _, keeps := range []bool{false, true} {
		b, v := registered(t, withPasskeys(t))
		v.enrols()
		if keeps {
			v.adds()
		}
		id := v.found().User.ID
		have, err := b.Owner.Factors(t.Context(), id)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := b.Owner.RemoveFactor(t.Context(), v.Caller, v.found(), have.Factors[0].ID); err != nil {
			t.Fatal(err)
		}
		want := 0
		if keeps {
			want = have.Left
		}
		if left, err := b.Owner.Factors(t.Context(), id); err != nil || left.Left != want {
			t.Errorf("with a passkey %v, %d of %d codes are left, %v", keeps, left.Left, have.Left, err)
		}
	}
}

// Where a second factor is needed, a recovery code signs in once in place of the only
// passkey. A password reset leaves the codes, and an alarm removes them.
func TestGiveFactor_CodeOfAPasskey(t *testing.T) {
	t.Parallel()
	b, change := withRequire(t, withPasskeys(t))
	owner := b.visitor("192.0.2.1")
	owner.register("mara@example.org")
	owner.adds()
	codes, id := owner.makesCodes().Codes, owner.found().User.ID
	change(everyone())
	for _, each := range []struct {
		code string
		left int
		want error
	}{{codes[0], 10, nil}, {codes[0], 9, factor.Wrong}, {codes[1], 9, nil}} {
		v, r := b.asks("192.0.2.2")
		view, err := b.Flows.View(t.Context(), v.Caller, r.FlowID)
		if err != nil || view.SecondFactors.Codes != each.left {
			t.Errorf("the step offers %d codes of %d, %v", view.SecondFactors.Codes, each.left, err)
		}
		given, err := b.Flows.GiveFactor(t.Context(), v.Caller, r.FlowID, recovery(each.code))
		if each.want != nil {
			wantField(t, err, fault.From(each.want).Code)
			continue
		}
		v.must(given, err)
		if s := v.found().Session; !s.Strong() || !slices.Equal(s.Methods, []string{"password", factor.RecoveryWord}) {
			t.Errorf("the session has the methods %v, strong at %v", s.Methods, s.StrongAt)
		}
		b.awaits("recovery-code-used")
	}

	left := func() int {
		have, err := b.Owner.Factors(t.Context(), id)
		if err != nil {
			t.Fatal(err)
		}
		return have.Left
	}
	v := b.visitor("192.0.2.3")
	r := v.forgets("mara@example.org")
	v.must(b.Flows.VerifyCode(t.Context(), v.Caller, r.FlowID, b.awaits("recover").Data["code"]))
	v.must(b.Flows.ResetPassword(t.Context(), v.Caller, flow.ResetInput{FlowID: r.FlowID, Password: "another " + good, Confirm: "another " + good}))
	if left() != 8 {
		t.Errorf("%d of 8 codes are left after a password reset", left())
	}
	v.must(b.Flows.RaiseAlarm(t.Context(), v.Caller, alarmToken(b.awaits("password-changed"))))
	if left() != 0 {
		t.Errorf("%d codes are left after an alarm", left())
	}
}

// checksCodes fails if the account has recovery codes and nothing that they replace.
func (o *owner) checksCodes() {
	o.Helper()
	have, err := o.Owner.Factors(o.Context(), o.id)
	if err != nil {
		o.fail("%v", err)
	}
	second, err := o.Flows.SecondFactors(o.Context(), o.id)
	if err != nil {
		o.fail("%v", err)
	}
	if have.Left > 0 && !second.Any() {
		o.fail("%d recovery codes are left in place of nothing", have.Left)
	}
}
