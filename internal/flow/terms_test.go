package flow_test

import (
	"errors"
	"slices"
	"testing"
	"time"

	"portico/internal/account"
	"portico/internal/audit"
	"portico/internal/factor"
	"portico/internal/fault"
	"portico/internal/flow"
)

// withTerms returns a bundle whose users accept the version, and a function that
// changes the version as a reload does.
func withTerms(t *testing.T, version string, options ...option) (b *bundle, change func(string)) {
	t.Helper()
	var cfg flow.Config
	b = setup(t, append(options, func(c *flow.Config) { c.Terms = version; cfg = *c })...)
	return b, func(version string) {
		cfg.Terms, cfg.Before = version, &b.All
		b.All = flow.New(cfg)
	}
}

func (b *bundle) hasAccount(address string) bool {
	_, err := b.Operator.User(b.Context(), address)
	return err == nil
}

func (v *visitor) signsUp(address, terms string) (flow.Result, error) {
	r, err := v.Flows.SignUp(v.Context(), v.Caller, flow.SignUpInput{Email: address, Password: good, Confirm: good, Terms: terms})
	return v.keep(r), err
}

// held signs in and fails unless the terms are asked for, without a session.
func (v *visitor) held(address string) flow.Result {
	v.Helper()
	r := v.must(v.signIn(address, good))
	if r.Session != nil || r.Device != "" || v.signedIn() != "" || r.Next != "/auth/terms?flow="+r.FlowID {
		v.Fatalf("without the terms a sign-in gives %+v", r)
	}
	return r
}

func (v *visitor) accepts(r flow.Result, version string) flow.Result {
	v.Helper()
	return v.must(v.Flows.AcceptTerms(v.Context(), v.Caller, r.FlowID, version))
}

func TestTerms_SignUp(t *testing.T) {
	t.Parallel()
	b, _ := withTerms(t, "2")
	v := b.visitor("192.0.2.1")
	_, err := v.signsUp("mara@example.org", "")
	wantField(t, err, flow.CodeTermsRequired)
	if _, err := v.signsUp("mara@example.org", "1"); !errors.Is(err, flow.TermsChanged) {
		t.Errorf("another version gives %v", err)
	}
	r := v.must(v.signsUp("mara@example.org", "2"))
	at := b.clock.Now()
	b.clock.Advance(time.Minute)
	v.must(v.Flows.VerifyCode(t.Context(), v.Caller, r.FlowID, b.next().Data["code"]))
	if v.signedIn() == "" {
		t.Error("the terms are asked for a second time")
	}
	if got := b.user("mara@example.org").Terms; got.Version != "2" || !got.AcceptedAt.Equal(at) {
		t.Errorf("the account has accepted %v, want 2 at %v", got, at)
	}
	if got := b.record(audit.TermsAccepted); got.Detail != "2" || got.Actor != "self" {
		t.Errorf("the record is %+v", got)
	}
}

// The version changes between the form and the code.
func TestTerms_ChangedDuringASignUp(t *testing.T) {
	t.Parallel()
	b, change := withTerms(t, "1")
	v := b.visitor("192.0.2.1")
	r := v.must(v.signsUp("mara@example.org", "1"))
	change("2")
	r = v.must(v.Flows.VerifyCode(t.Context(), v.Caller, r.FlowID, b.next().Data["code"]))
	if r.Session != nil || r.Next != "/auth/terms?flow="+r.FlowID || b.hasAccount("mara@example.org") {
		t.Fatalf("the code gives %+v", r)
	}
	if view, err := v.Flows.View(t.Context(), v.Caller, r.FlowID); err != nil || view.Kind != flow.SignUp || view.Address != "mara@example.org" {
		t.Errorf("the page shows %+v (%v)", view, err)
	}
	first := v.accepts(r, "2")
	if v.signedIn() == "" || b.user("mara@example.org").Terms.Version != "2" {
		t.Error("the terms are accepted, and there is no account")
	}
	if again := v.accepts(r, "2"); again.Next != first.Next || again.Session != nil {
		t.Errorf("a second press gives %+v", again)
	}
}

// A stranger has ticked the box, so the owner of the mailbox is asked.
func TestTerms_LinkInAnotherBrowser(t *testing.T) {
	t.Parallel()
	b, _ := withTerms(t, "1")
	stranger := b.visitor("192.0.2.1")
	stranger.must(stranger.signsUp("mara@example.org", "1"))
	v := b.visitor("192.0.2.2")
	r := v.must(v.Flows.ConfirmLink(t.Context(), v.Caller, flow.LinkInput{Token: linkToken(b.next()), Anew: true}))
	if r.Next != "/auth/terms?flow="+r.FlowID || b.hasAccount("mara@example.org") {
		t.Fatalf("the link gives %+v", r)
	}
	r = v.accepts(r, "1")
	r = v.must(v.Flows.ResetPassword(t.Context(), v.Caller, flow.ResetInput{FlowID: r.FlowID, Password: good, Confirm: good}))
	if v.signedIn() == "" || b.user("mara@example.org").Terms.Version != "1" {
		t.Errorf("the owner is asked again: %+v", r)
	}
}

func TestTerms_ChangedSinceTheLastSignIn(t *testing.T) {
	t.Parallel()
	b, change := withTerms(t, "")
	before := b.visitor("192.0.2.1")
	before.register("mara@example.org")
	change("1")
	if before.signedIn() == "" {
		t.Fatal("new terms have ended a session")
	}
	v := b.visitor("192.0.2.2")
	r := v.held("mara@example.org")
	_, err := v.Flows.AcceptTerms(t.Context(), v.Caller, r.FlowID, "")
	wantField(t, err, flow.CodeTermsRequired)
	if _, err := v.Flows.AcceptTerms(t.Context(), v.Caller, r.FlowID, "2"); !errors.Is(err, flow.TermsChanged) {
		t.Errorf("another version gives %v", err)
	}
	other := b.visitor("192.0.2.2")
	other.BrowserCookie = "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"
	if _, err := b.Flows.AcceptTerms(t.Context(), other.Caller, r.FlowID, "1"); !errors.Is(err, flow.Unknown) {
		t.Errorf("another browser gets %v", err)
	}
	if got := b.user("mara@example.org").Terms; got != (account.Terms{}) {
		t.Fatalf("refused forms have accepted %v", got)
	}
	v.accepts(r, "1")
	if v.signedIn() == "" || b.user("mara@example.org").Terms.Version != "1" || b.record(audit.TermsAccepted).Detail != "1" {
		t.Error("the terms are accepted, and there is no session")
	}
	if m := b.next(); m.Template != "new-device" {
		t.Errorf("the new browser is announced by %s", m.Template)
	}
	v.must(v.signIn("mara@example.org", good))
	change("")
	if other := b.visitor("192.0.2.3"); other.must(other.signIn("mara@example.org", good)).Session == nil {
		t.Error("without terms the sign-in waits for them")
	}
}

// The second factor comes first, and its proofs are kept.
func TestTerms_AfterTheFactor(t *testing.T) {
	t.Parallel()
	b, change := withTerms(t, "")
	_, p := b.enrolled()
	change("1")
	v, r := b.asks("192.0.2.2")
	r = v.must(v.Flows.GiveFactor(t.Context(), v.Caller, r.FlowID, recovery(p.codes[0])))
	if r.Session != nil || r.Next != "/auth/terms?flow="+r.FlowID {
		t.Fatalf("the factor gives %+v", r)
	}
	b.next() // the recovery code was used
	v.accepts(r, "1")
	if got := v.found().Session; !slices.Equal(got.Methods, []string{"password", factor.RecoveryWord}) || !got.Strong() {
		t.Errorf("the session has the methods %v, strong at %v", got.Methods, got.StrongAt)
	}
}

// A live session goes on: neither a step-up nor a new password asks for the terms.
func TestTerms_LiveSessionGoesOn(t *testing.T) {
	t.Parallel()
	b, change := withTerms(t, "")
	v, p := b.enrolled()
	change("1")
	r := v.must(v.Flows.StepUp(t.Context(), v.Caller, flow.Target{}, digits(p.secret.At(b.clock.Now()))))
	if r.Session == nil || v.signedIn() == "" {
		t.Errorf("the factor of a live session gives %+v", r)
	}
	if got := b.user("mara@example.org").Terms; got != (account.Terms{}) {
		t.Errorf("the factor has accepted %v", got)
	}
}

func TestTerms_Refused(t *testing.T) {
	t.Parallel()
	b, change := withTerms(t, "")
	v := b.visitor("192.0.2.1")
	v.register("mara@example.org")
	change("1")
	r := v.must(v.signIn("mara@example.org", good)) // with a session of before
	if r.Session != nil {
		t.Fatalf("the sign-in gives %+v", r)
	}
	if r := v.must(v.Flows.StartAgain(t.Context(), v.Caller, r.FlowID, flow.Accept)); r.Next != "/auth/signed-out" || v.signedIn() != "" {
		t.Errorf("after Sign out the browser goes to %s with the session of %q", r.Next, v.signedIn())
	}
	if _, err := v.Flows.AcceptTerms(t.Context(), v.Caller, r.FlowID, "1"); !errors.Is(err, flow.Moved) {
		t.Errorf("after that, accepting gives %v", err)
	}
	if r := v.must(v.Flows.StartAgain(t.Context(), v.Caller, r.FlowID, flow.Accept)); r.Next != "/auth/signin" {
		t.Errorf("a second press leads to %s", r.Next)
	}
}

// The step and the session of before end together: a press that fails can be repeated.
func TestTerms_RefusedTwice(t *testing.T) {
	t.Parallel()
	for at := range int64(3) {
		m := &mortal{}
		b, change := withTerms(t, "", func(c *flow.Config) { m.Store, c.Store = c.Store, m })
		v := b.visitor("192.0.2.1")
		v.register("mara@example.org")
		change("1")
		r := v.must(v.signIn("mara@example.org", good))
		m.left.Store(at)
		_, err := v.Flows.StartAgain(t.Context(), v.Caller, r.FlowID, flow.Accept)
		if errors.Is(err, errKilled) {
			_, err = v.Flows.StartAgain(t.Context(), v.Caller, r.FlowID, flow.Accept)
		}
		if err != nil || v.signedIn() != "" {
			t.Errorf("after a failure of write %d: signed in as %q, %v", at, v.signedIn(), err)
		}
		if f := b.record(audit.SignedOut); f.AccountID != b.user("mara@example.org").ID {
			t.Errorf("the record is %+v", f)
		}
	}
}

// A change of the credentials ends the step.
func TestTerms_AfterANewPassword(t *testing.T) {
	t.Parallel()
	b, _ := withTerms(t, "1")
	a, err := b.Operator.CreateUser(t.Context(), flow.ByOperator, "mara@example.org", "", good)
	if err != nil {
		t.Fatal(err)
	}
	v := b.visitor("192.0.2.1")
	r := v.held("mara@example.org")
	if err := b.Operator.SetUserPassword(t.Context(), flow.ByOperator, a, "another copper lantern, longer"); err != nil {
		t.Fatal(err)
	}
	if _, err := v.Flows.AcceptTerms(t.Context(), v.Caller, r.FlowID, "1"); fault.From(err).Code != flow.CodeFlowUnknown {
		t.Errorf("the step of before gives %v", err)
	}
}
