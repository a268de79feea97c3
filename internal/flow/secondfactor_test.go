package flow_test

import (
	"errors"
	"slices"
	"testing"
	"time"

	"portico/internal/flow"
	"portico/internal/passkey"
	"portico/internal/passkey/passkeytest"
	"portico/internal/session"
)

// proves gives a passkey as a second factor.
func (v *visitor) proves(a *passkeytest.Authenticator, second string) (flow.Result, error) {
	v.Helper()
	ask, err := v.Flows.AskPasskey(v.Caller)
	if err != nil {
		v.Fatal(err)
	}
	if ask.BrowserCookie != "" {
		v.BrowserCookie = ask.BrowserCookie
	}
	return v.Flows.SignInPasskey(v.Context(), v.Caller, flow.PasskeyInput{Answer: a.Use(ask.Challenge), AddsTo: second})
}

func TestSecond_OfASession(t *testing.T) {
	t.Parallel()
	b := setup(t, withPasskeys(t))
	owner := b.visitor("192.0.2.1")
	owner.register("mara@example.org")
	key := owner.adds()
	if s := owner.found().Session; !s.Strong() || !slices.Equal(s.Methods, []string{"mail", "passkey"}) {
		t.Errorf("after the passkey was added: %+v", s)
	}
	v := b.visitor("192.0.2.2")
	v.must(v.signIn("mara@example.org", good))
	if err := b.Owner.Fresh(t.Context(), v.found()); !errors.Is(err, flow.ProofNeeded) {
		t.Errorf("a password may change an account that has a passkey: %v", err)
	}
	old := v.Caller.Session
	v.must(v.proves(key, flow.OfSession))
	if s := v.found().Session; !s.Strong() || !slices.Equal(s.Methods, []string{"password", "passkey"}) {
		t.Errorf("after the step: %+v", s)
	}
	if err := b.Owner.Fresh(t.Context(), v.found()); err != nil {
		t.Error(err)
	}
	if _, err := b.Flows.Session(t.Context(), old); !errors.Is(err, session.Required) {
		t.Error("the old token goes on")
	}
	b.clock.Advance(10 * time.Minute)
	if err := b.Owner.Fresh(t.Context(), v.found()); !errors.Is(err, flow.ProofNeeded) {
		t.Errorf("the passkey is old: %v", err)
	}
	v.Caller.Session = ""
	if _, err := v.proves(key, flow.OfSession); !errors.Is(err, session.Required) {
		t.Errorf("without a session: %v", err)
	}
}

func TestSecond_OfASignIn(t *testing.T) {
	t.Parallel()
	b := setup(t, withPasskeys(t))
	owner, p := b.enrolled()
	key := owner.adds()
	v, r := b.asks("192.0.2.2")
	view, err := b.Flows.View(t.Context(), v.Caller, r.FlowID)
	if err != nil || !view.SecondFactors.App || !view.SecondFactors.Passkey {
		t.Errorf("%+v, %v", view.SecondFactors, err)
	}
	v.must(v.proves(key, r.FlowID))
	if s := v.found().Session; !s.Strong() || !slices.Equal(s.Methods, []string{"password", "passkey"}) {
		t.Errorf("%+v", s)
	}
	if _, err := v.proves(key, r.FlowID); !errors.Is(err, flow.Moved) {
		t.Errorf("a second time: %v", err)
	}
	if _, err := v.Flows.GiveFactor(t.Context(), v.Caller, r.FlowID, digits(p.secret.At(b.clock.Now()))); err != nil {
		t.Errorf("a press after the step: %v", err)
	}
}

// A passkey of another account changes nothing, not even who is signed in.
func TestSecond_OfAnotherAccount(t *testing.T) {
	t.Parallel()
	b := setup(t, withPasskeys(t))
	owner, _ := b.enrolled()
	owner.adds()
	b.next() // the email about it
	stranger := b.visitor("192.0.2.3")
	stranger.register("noor@example.org")
	theirs := stranger.adds()
	v, r := b.asks("192.0.2.2")
	if _, err := v.proves(theirs, r.FlowID); !errors.Is(err, passkey.Other) {
		t.Errorf("for a sign-in: %v", err)
	}
	if v.signedIn() != "" {
		t.Error("it signs in")
	}
	if _, err := owner.proves(theirs, flow.OfSession); !errors.Is(err, passkey.Other) || owner.signedIn() != "mara@example.org" {
		t.Errorf("for a session: %v, %s is signed in", err, owner.signedIn())
	}
	elsewhere := b.visitor("192.0.2.4")
	if _, err := elsewhere.proves(theirs, r.FlowID); !errors.Is(err, flow.Unknown) {
		t.Errorf("in another browser: %v", err)
	}
}
