package flow_test

import (
	"errors"
	"strings"
	"testing"

	"portico/internal/flow"
	"portico/internal/passkey"
	"portico/internal/passkey/passkeytest"
)

// begins begins a sign-up with a passkey and proves the address. It returns the flow
// that waits for the passkey.
func (v *visitor) begins(address string) string {
	v.Helper()
	r := v.must(v.Flows.SignUp(v.Context(), v.Caller, flow.SignUpInput{Email: address, Passkey: true}))
	r = v.must(v.Flows.VerifyCode(v.Context(), v.Caller, r.FlowID, v.next().Data["code"]))
	if r.Session != nil || !strings.HasPrefix(r.Next, "/auth/signup-passkey?flow=") {
		v.Fatalf("the proof of the address leads to %q", r.Next)
	}
	return r.FlowID
}

func (v *visitor) first(id string) (*passkeytest.Authenticator, passkey.Answer) {
	v.Helper()
	o, err := v.Flows.BeginFirstPasskey(v.Context(), v.Caller, id)
	if err != nil {
		v.Fatal(err)
	}
	a := passkeytest.New("portico.test", "https://portico.test", o.Handle)
	return a, a.Create(o.Challenge)
}

func TestSignUp_WithAPasskey(t *testing.T) {
	t.Parallel()
	b := setup(t, withPasskeys(t))
	v, elsewhere := b.visitor("192.0.2.1"), b.visitor("192.0.2.2")
	id := v.begins("mara@example.org")
	a, made := v.first(id)
	r := v.must(v.Flows.AddFirstPasskey(t.Context(), v.Caller, id, made))
	if r.Next != "/auth/account" || v.signedIn() != "mara@example.org" {
		t.Errorf("leads to %q, signed in as %q", r.Next, v.signedIn())
	}
	if s := v.found().Session; !s.Strong() || len(s.Methods) != 1 || s.Methods[0] != passkey.Method {
		t.Errorf("%+v", s)
	}
	if m := b.next(); m.Template != "passkey-added" {
		t.Errorf("the owner gets %s", m.Template)
	}
	ways, err := b.Owner.Ways(t.Context(), v.found().User.ID)
	if err != nil || ways.Password || ways.Others != 1 {
		t.Errorf("%+v, %v", ways, err)
	}
	if _, err := elsewhere.signIn("mara@example.org", ""); err == nil {
		t.Error("an empty password signs in")
	}
	elsewhere.must(elsewhere.uses(a))

	// The only way in stays, until there is a password.
	held, err := b.Owner.Passkeys(t.Context(), v.found().User.ID)
	if err != nil || len(held) != 1 {
		t.Fatalf("%d passkeys, %v", len(held), err)
	}
	remove := func() error { return b.Owner.RemovePasskey(t.Context(), v.Caller, v.found(), held[0].ID) }
	if err := remove(); !errors.Is(err, flow.LastWay) {
		t.Errorf("the only way in may be removed: %v", err)
	}
	v.must(v.Owner.ChangePassword(t.Context(), v.Caller, v.found(), good, good))
	if err := remove(); err != nil {
		t.Errorf("with a password: %v", err)
	}

	// The step has ended: neither a second passkey nor a password follows from it.
	if _, err := v.Flows.BeginFirstPasskey(t.Context(), v.Caller, id); !errors.Is(err, flow.Moved) {
		t.Errorf("a second passkey: %v", err)
	}
	if _, err := v.Flows.ResetPassword(t.Context(), v.Caller, flow.ResetInput{FlowID: id, Password: good + "!", Confirm: good + "!"}); !errors.Is(err, flow.Moved) {
		t.Errorf("a password after it: %v", err)
	}
}

// A visitor who cannot make a passkey after all chooses a password, in the same step.
func TestSignUp_PasswordInstead(t *testing.T) {
	t.Parallel()
	b := setup(t, withPasskeys(t))
	v := b.visitor("192.0.2.1")
	id := v.begins("mara@example.org")
	_, made := v.first(id)
	v.must(v.Flows.ResetPassword(t.Context(), v.Caller, flow.ResetInput{FlowID: id, Password: good, Confirm: good}))
	if v.signedIn() != "mara@example.org" {
		t.Error("not signed in")
	}
	if _, err := v.Flows.AddFirstPasskey(t.Context(), v.Caller, id, made); !errors.Is(err, flow.Moved) {
		t.Errorf("a passkey after the password: %v", err)
	}
}

// An account without a password is recovered by its mailbox. Changes of it
// still ask for the passkey.
func TestRecover_AnAccountWithAPasskeyAlone(t *testing.T) {
	t.Parallel()
	b := setup(t, withPasskeys(t))
	v, lost := b.visitor("192.0.2.1"), b.visitor("192.0.2.2")
	id := v.begins("mara@example.org")
	a, made := v.first(id)
	v.must(v.Flows.AddFirstPasskey(t.Context(), v.Caller, id, made))
	b.next()
	r := lost.must(lost.Flows.Recover(t.Context(), lost.Caller, "mara@example.org", flow.Target{}))
	r = lost.must(lost.Flows.VerifyCode(t.Context(), lost.Caller, r.FlowID, b.next().Data["code"]))
	if !strings.HasPrefix(r.Next, "/auth/reset-password?") {
		t.Fatalf("leads to %q", r.Next)
	}
	if _, err := lost.Flows.BeginFirstPasskey(t.Context(), lost.Caller, r.FlowID); !errors.Is(err, flow.Unknown) {
		t.Errorf("a recovery adds a passkey: %v", err)
	}
	lost.must(lost.Flows.ResetPassword(t.Context(), lost.Caller, flow.ResetInput{FlowID: r.FlowID, Password: good, Confirm: good}))
	if _, err := lost.Owner.BeginPasskey(t.Context(), lost.Caller, lost.found(), false); !errors.Is(err, flow.ProofNeeded) {
		t.Errorf("a recovery alone changes the account: %v", err)
	}
	lost.must(lost.uses(a)) // still there
}

// Where a password was wanted, the proof of the mailbox adds no passkey.
func TestSignUp_NoPasskeyUnasked(t *testing.T) {
	t.Parallel()
	b := setup(t, withPasskeys(t))
	v, elsewhere := b.visitor("192.0.2.1"), b.visitor("192.0.2.2")
	v.must(v.Flows.SignUp(t.Context(), v.Caller, flow.SignUpInput{Email: "mara@example.org", Password: good, Confirm: good}))
	r := elsewhere.must(elsewhere.Flows.ConfirmLink(t.Context(), elsewhere.Caller, flow.LinkInput{Token: linkToken(b.next()), Anew: true}))
	if !strings.HasPrefix(r.Next, "/auth/reset-password?") {
		t.Fatalf("leads to %q", r.Next)
	}
	if _, err := elsewhere.Flows.BeginFirstPasskey(t.Context(), elsewhere.Caller, r.FlowID); !errors.Is(err, flow.Unknown) {
		t.Errorf("a passkey: %v", err)
	}
}

func TestSignUp_PasskeysOff(t *testing.T) {
	t.Parallel()
	b := setup(t)
	v := b.visitor("192.0.2.1")
	_, begin := v.Flows.SignUp(t.Context(), v.Caller, flow.SignUpInput{Email: "mara@example.org", Passkey: true})
	_, ask := v.Flows.BeginFirstPasskey(t.Context(), v.Caller, "x")
	_, add := v.Flows.AddFirstPasskey(t.Context(), v.Caller, "x", passkey.Answer{})
	for _, err := range []error{begin, ask, add} {
		if !errors.Is(err, passkey.Off) {
			t.Errorf("%v, want that passkeys are off", err)
		}
	}
}
