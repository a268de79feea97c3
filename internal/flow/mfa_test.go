package flow_test

import (
	"errors"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"portico/internal/audit"
	"portico/internal/factor"
	"portico/internal/fault"
	"portico/internal/flow"
)

// phone is an authenticator app with its recovery codes.
type phone struct {
	secret factor.Secret
	codes  []string
}

// enrols adds an authenticator app to the account of the visitor.
func (v *visitor) enrols() phone {
	v.Helper()
	begun := v.must(v.Owner.BeginFactor(v.Context(), v.Caller, v.found(), flow.Target{}))
	shown, err := v.Owner.Enrolment(v.Context(), v.Caller, v.found(), begun.FlowID)
	if err != nil || len(shown.Secret) == 0 {
		v.Fatalf("the enrolment shows %v (%v)", shown, err)
	}
	p := phone{secret: shown.Secret}
	v.must(v.Owner.ConfirmFactor(v.Context(), v.Caller, v.found(), begun.FlowID, p.secret.At(v.clock.Now())))
	if shown, err = v.Owner.Enrolment(v.Context(), v.Caller, v.found(), begun.FlowID); err != nil || len(shown.Secret) > 0 {
		v.Fatalf("after the enrolment the secret is shown (%v)", err)
	}
	p.codes = shown.Codes
	v.must(v.Owner.SavedCodes(v.Context(), v.Caller, v.found(), begun.FlowID))
	v.clock.Advance(time.Minute) // the code of the enrolment is used up
	return p
}

// enrolled returns a browser of a new account with a second factor.
func (b *bundle) enrolled() (*visitor, phone) {
	b.Helper()
	v := b.visitor("192.0.2.1")
	v.register("mara@example.org")
	p := v.enrols()
	if m := b.next(); m.Template != "factor-added" {
		b.Fatalf("after the enrolment comes %s", m.Template)
	}
	return v, p
}

// asks gives the password in a new browser.
func (b *bundle) asks(peer string) (*visitor, flow.Result) {
	b.Helper()
	v := b.visitor(peer)
	r := v.must(v.signIn("mara@example.org", good))
	if r.Session != nil || r.Device != "" || v.signedIn() != "" || r.Next != "/auth/mfa?flow="+r.FlowID {
		b.Fatalf("the password alone gives %+v", r)
	}
	return v, r
}

func digits(code string) flow.FactorInput   { return flow.FactorInput{Code: code} }
func recovery(code string) flow.FactorInput { return flow.FactorInput{Code: code, Recovery: true} }

func TestMFA_SignIn(t *testing.T) {
	t.Parallel()
	b := setup(t)
	_, p := b.enrolled()
	v, r := b.asks("192.0.2.2")
	v.must(v.Flows.GiveFactor(t.Context(), v.Caller, r.FlowID, digits(p.secret.At(b.clock.Now()))))
	found := v.found()
	if got := found.Session.Methods; len(got) != 2 || got[0] != "password" || got[1] != "totp" || !found.Session.Strong() {
		t.Errorf("the session has the methods %v, strong at %v", got, found.Session.StrongAt)
	}
	if got := b.record(audit.SignedIn).Detail; got != "password,totp" {
		t.Errorf("the record has the detail %q", got)
	}
	if m := b.next(); m.Template != "new-device" {
		t.Errorf("after both proofs comes %s", m.Template)
	}
}

// The step belongs to the browser that gave the password.
func TestMFA_OtherBrowser(t *testing.T) {
	t.Parallel()
	b := setup(t)
	_, p := b.enrolled()
	_, r := b.asks("192.0.2.2")
	other := b.visitor("192.0.2.2")
	other.BrowserCookie = "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"
	if _, err := b.Flows.GiveFactor(t.Context(), other.Caller, r.FlowID, digits(p.secret.At(b.clock.Now()))); !errors.Is(err, flow.Unknown) {
		t.Errorf("another browser gets %v", err)
	}
}

// SEC-034: neither the code of the last sign-in nor an older one works again.
func TestMFA_Replay(t *testing.T) {
	t.Parallel()
	b := setup(t)
	signedIn, p := b.enrolled()
	older, used := p.secret.At(b.clock.Now().Add(-30*time.Second)), p.secret.At(b.clock.Now())
	v, r := b.asks("192.0.2.2")
	v.must(v.Flows.GiveFactor(t.Context(), v.Caller, r.FlowID, digits(used)))
	for _, code := range []string{used, older} {
		again, r := b.asks("192.0.2.3")
		_, err := b.Flows.GiveFactor(t.Context(), again.Caller, r.FlowID, digits(code))
		wantField(t, err, factor.CodeReplayed)
		_, err = b.Flows.StepUp(t.Context(), signedIn.Caller, flow.Target{}, digits(code))
		wantField(t, err, factor.CodeReplayed)
	}
}

func wantField(t *testing.T, err error, code string) {
	t.Helper()
	f := fault.From(err)
	if len(f.Fields) != 1 || f.Fields[0].Code != code {
		t.Errorf("got %v %v, want %s", err, f.Fields, code)
	}
}

// One code, twenty sign-ins at once: one gets a session.
func TestMFA_Race(t *testing.T) {
	t.Parallel()
	b := setup(t)
	_, p := b.enrolled()
	for _, name := range []string{"totp", "recovery"} {
		in := digits(p.secret.At(b.clock.Now()))
		if name == "recovery" {
			in = recovery(p.codes[0])
		}
		var flows [20]flow.Result
		var visitors [20]*visitor
		for i := range flows {
			visitors[i], flows[i] = b.asks("192.0.2." + strconv.Itoa(10+i))
		}
		var won atomic.Int64
		var running sync.WaitGroup
		for i := range flows {
			running.Go(func() {
				r, err := b.Flows.GiveFactor(t.Context(), visitors[i].Caller, flows[i].FlowID, in)
				if err == nil && r.Session != nil {
					won.Add(1)
				}
			})
		}
		running.Wait()
		if won.Load() != 1 {
			t.Errorf("%s: %d of 20 got a session", name, won.Load())
		}
		b.clock.Advance(2 * time.Hour) // the limits have expired
	}
}

// SEC-016: the limit is one of the account, however often the password is given.
// The owner's browser has its own.
func TestMFA_GuessesCountTogether(t *testing.T) {
	t.Parallel()
	b := setup(t)
	owner, p := b.enrolled()
	refused := 0
	for range 4 {
		v, r := b.asks("198.51.100.1")
		for range 2 {
			_, err := b.Flows.GiveFactor(t.Context(), v.Caller, r.FlowID, digits(wrongFor(p.secret.At(b.clock.Now()), 1)))
			if err == nil {
				t.Fatal("a wrong code was taken")
			}
			if fault.From(err).Code == "throttle.limited" {
				refused++
			}
		}
	}
	if refused != 3 {
		t.Errorf("%d of 8 guesses were refused, want 3", refused)
	}
	v, r := b.asks("198.51.100.1")
	if _, err := b.Flows.GiveFactor(t.Context(), v.Caller, r.FlowID, recovery(p.codes[0])); fault.From(err).Code != "throttle.limited" {
		t.Errorf("a recovery code has a count of its own: %v", err)
	}
	b.awaits("factor-failed")
	r = owner.must(owner.signIn("mara@example.org", good))
	owner.must(b.Flows.GiveFactor(t.Context(), owner.Caller, r.FlowID, digits(p.secret.At(b.clock.Now()))))
	if owner.signedIn() == "" {
		t.Error("a stranger keeps the owner out")
	}
}

// SEC-096: a reset by email leaves the factors, and one of them is asked for.
func TestMFA_AfterReset(t *testing.T) {
	t.Parallel()
	b := setup(t)
	_, p := b.enrolled()
	v := b.visitor("192.0.2.2")
	begun := v.forgets("mara@example.org")
	v.must(b.Flows.VerifyCode(t.Context(), v.Caller, begun.FlowID, b.next().Data["code"]))
	r := v.must(b.Flows.ResetPassword(t.Context(), v.Caller, flow.ResetInput{FlowID: begun.FlowID, Password: another, Confirm: another}))
	if r.Session != nil || v.signedIn() != "" {
		t.Fatal("an email signs in to an account with a second factor")
	}
	v.must(b.Flows.GiveFactor(t.Context(), v.Caller, r.FlowID, recovery(p.codes[3])))
	have, err := b.Owner.Factors(t.Context(), v.found().User.ID)
	if err != nil || len(have.Factors) != 1 || have.Left != 9 {
		t.Errorf("after the reset there are %d factors and %d codes (%v)", len(have.Factors), have.Left, err)
	}
}

// SEC-037: a code of another account, a used one, one of an old set, and one of a
// removed factor.
func TestMFA_RecoveryCodes(t *testing.T) {
	t.Parallel()
	b := setup(t)
	owner, p := b.enrolled()
	other := b.visitor("192.0.2.7")
	other.register("tom@example.org")
	theirs := other.enrols()
	give := func(code string) error {
		b.clock.Advance(2 * time.Hour)
		v, r := b.asks("192.0.2.2")
		_, err := b.Flows.GiveFactor(t.Context(), v.Caller, r.FlowID, recovery(code))
		return err
	}
	if err := give(theirs.codes[0]); err == nil {
		t.Error("a code of another account was taken")
	}
	if err := give(p.codes[0]); err != nil {
		t.Error(err)
	}
	wantField(t, give(p.codes[0]), factor.CodeWrong)
	r := owner.must(owner.signIn("mara@example.org", good))
	owner.must(b.Flows.GiveFactor(t.Context(), owner.Caller, r.FlowID, digits(p.secret.At(b.clock.Now()))))
	if _, err := b.Owner.MakeCodes(t.Context(), owner.Caller, owner.found(), flow.Target{}); err != nil {
		t.Fatal(err)
	}
	wantField(t, give(p.codes[1]), factor.CodeWrong)
}

// The use of the last code but one leads to the page that offers a new set, and back.
func TestMFA_FewRecoveryCodes(t *testing.T) {
	t.Parallel()
	b := setup(t)
	owner, p := b.enrolled()
	id := owner.found().User.ID
	offers := func(r flow.Result) bool { return r.Next == "/auth/account/factors?return_to=%2Fauth%2Faccount" }
	for n, used := range p.codes {
		b.clock.Advance(2 * time.Hour)
		v, r := b.asks("192.0.2.2")
		if n == 8 { // of a session, too
			v.must(b.Flows.GiveFactor(t.Context(), v.Caller, r.FlowID, digits(p.secret.At(b.clock.Now()))))
			r = v.must(b.Flows.StepUp(t.Context(), v.Caller, flow.Target{}, recovery(used)))
		} else {
			r = v.must(b.Flows.GiveFactor(t.Context(), v.Caller, r.FlowID, recovery(used)))
		}
		have, err := b.Owner.Factors(t.Context(), id)
		if left := 9 - n; err != nil || have.Left != left || offers(r) != (left <= 1) {
			t.Errorf("with %d codes left, want %d, the next page is %s (%v)", have.Left, left, r.Next, err)
		}
	}
	b.clock.Advance(2 * time.Hour)
	v, r := b.asks("192.0.2.2")
	if r = v.must(b.Flows.GiveFactor(t.Context(), v.Caller, r.FlowID, digits(p.secret.At(b.clock.Now())))); offers(r) {
		t.Error("the code of an app leads to the recovery codes")
	}
}

// SEC-098: changes need a proof of the last ten minutes, by a factor if there is
// one.
func TestFactors_NeedAFreshProof(t *testing.T) {
	t.Parallel()
	b := setup(t)
	v, p := b.enrolled()
	b.clock.Advance(10 * time.Minute)
	changes := map[string]func() error{
		"add": func() error {
			_, err := b.Owner.BeginFactor(t.Context(), v.Caller, v.found(), flow.Target{})
			return err
		},
		"codes": func() error {
			_, err := b.Owner.MakeCodes(t.Context(), v.Caller, v.found(), flow.Target{})
			return err
		},
		"remove": func() error {
			have, _ := b.Owner.Factors(t.Context(), v.found().User.ID)
			_, err := b.Owner.RemoveFactor(t.Context(), v.Caller, v.found(), have.Factors[0].ID)
			return err
		},
	}
	for name, change := range changes {
		if err := change(); !errors.Is(err, flow.ProofNeeded) {
			t.Errorf("%s: %v", name, err)
		}
	}
	before := v.Caller.Session
	v.must(b.Flows.StepUp(t.Context(), v.Caller, flow.Target{}, digits(p.secret.At(b.clock.Now()))))
	if v.Caller.Session == before {
		t.Error("the session token is the same after the step")
	}
	if _, err := b.Flows.Session(t.Context(), before); err == nil {
		t.Error("the old token is still valid")
	}
	for _, name := range []string{"add", "codes", "remove"} {
		if err := changes[name](); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	have, err := b.Owner.Factors(t.Context(), v.found().User.ID)
	if err != nil || len(have.Factors) != 0 || have.Left != 0 {
		t.Errorf("%d factors and %d codes are left (%v)", len(have.Factors), have.Left, err)
	}
	w := b.visitor("192.0.2.4")
	if r := w.must(w.signIn("mara@example.org", good)); r.Session == nil {
		t.Error("without a factor one is asked for")
	}
}

// Each tab has its own secret, and a secret that was never confirmed counts for
// nothing.
func TestEnrolment_TwoTabs(t *testing.T) {
	t.Parallel()
	b, v := registered(t)
	first := v.must(b.Owner.BeginFactor(t.Context(), v.Caller, v.found(), flow.Target{}))
	second := v.must(b.Owner.BeginFactor(t.Context(), v.Caller, v.found(), flow.Target{}))
	shown, err := b.Owner.Enrolment(t.Context(), v.Caller, v.found(), first.FlowID)
	if err != nil {
		t.Fatal(err)
	}
	code := shown.Secret.At(b.clock.Now())
	_, err = b.Owner.ConfirmFactor(t.Context(), v.Caller, v.found(), second.FlowID, code)
	wantField(t, err, factor.CodeNewWrong)
	b.clock.Advance(15 * time.Minute)
	if _, err := b.Owner.ConfirmFactor(t.Context(), v.Caller, v.found(), first.FlowID, shown.Secret.At(b.clock.Now())); !errors.Is(err, flow.Unknown) {
		t.Errorf("after a quarter of an hour: %v", err)
	}
	if r := v.must(v.signIn("mara@example.org", good)); r.Session == nil {
		t.Error("an enrolment that was not finished counts")
	}
}
