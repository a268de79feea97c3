package flow_test

import (
	"testing"

	"portico/internal/flow"
	"portico/internal/passkey/passkeytest"
)

// byPassword signs in from a browser that can make a passkey, and returns the page
// that comes next.
func (v *visitor) byPassword(address string, returnTo flow.Target) string {
	v.Helper()
	return v.must(v.Flows.SignIn(v.Context(), v.Caller, flow.SignInInput{Email: address, Password: good, ReturnTo: returnTo, MakesPasskeys: true})).Next
}

func TestOffer(t *testing.T) {
	t.Parallel()
	b := setup(t, withPasskeys(t))
	b.visitor("192.0.2.1").register("mara@example.org")
	b.visitor("192.0.2.1").register("noor@example.org")
	app := b.Flows.Targets().Check("https://app.test/a?b=c")
	const offer, offerForApp = "/auth/account/passkeys/offer", "/auth/account/passkeys/offer?return_to=https%3A%2F%2Fapp.test%2Fa%3Fb%3Dc"

	v := b.visitor("192.0.2.2")
	if got := v.byPassword("mara@example.org", app); got != offerForApp {
		t.Errorf("after a password: %s", got)
	}
	if got := v.byPassword("mara@example.org", app); got != app.String() {
		t.Errorf("who signs in again is held up: %s", got)
	}
	other := b.visitor("192.0.2.3")
	if got := other.must(other.signIn("mara@example.org", good)).Next; got != "/auth/account" {
		t.Errorf("a browser that makes none: %s", got)
	}

	if err := b.Owner.RefusePasskeys(t.Context(), v.found()); err != nil {
		t.Fatal(err)
	}
	if got := b.visitor("192.0.2.4").byPassword("mara@example.org", app); got != app.String() {
		t.Errorf("after the refusal, in another browser: %s", got)
	}
	// The next person in the same browser is asked.
	if got := v.byPassword("noor@example.org", flow.Target{}); got != offer {
		t.Errorf("another person: %s", got)
	}
	v.adds()
	v = b.visitor("192.0.2.5")
	if got := v.byPassword("noor@example.org", app); got != app.String() {
		t.Errorf("who has a passkey: %s", got)
	}
	if offered, err := b.Owner.PasskeyOffered(t.Context(), v.found()); err != nil || offered {
		t.Errorf("the page offers one: %v, %v", offered, err)
	}
}

// The offer comes after the second factor, and not where a trusted browser spared it:
// a change would ask for it.
func TestOffer_AfterTheSecondFactor(t *testing.T) {
	t.Parallel()
	b := setup(t, withPasskeys(t), trusting)
	_, p := b.enrolled()
	v := b.visitor("192.0.2.2")
	r := v.must(v.Flows.SignIn(t.Context(), v.Caller, flow.SignInInput{Email: "mara@example.org", Password: good, MakesPasskeys: true}))
	r = v.must(v.Flows.GiveFactor(t.Context(), v.Caller, r.FlowID, flow.FactorInput{Code: p.secret.At(b.clock.Now()), Trust: true}))
	if r.Next != "/auth/account/passkeys/offer" {
		t.Errorf("after the factor: %s", r.Next)
	}
	if err := b.Flows.SignOut(t.Context(), v.Caller); err != nil {
		t.Fatal(err)
	}
	if got := v.byPassword("mara@example.org", flow.Target{}); got != "/auth/account" {
		t.Errorf("in a trusted browser: %s", got)
	}
}

func TestOffer_WithoutPasskeys(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.visitor("192.0.2.1").register("mara@example.org")
	if got := b.visitor("192.0.2.2").byPassword("mara@example.org", flow.Target{}); got != "/auth/account" {
		t.Errorf("passkeys are off: %s", got)
	}
}

// A passkey that the browser makes by itself signs in, and proves nothing before.
func TestAddPasskey_Quietly(t *testing.T) {
	t.Parallel()
	b := setup(t, withPasskeys(t))
	v, elsewhere := b.visitor("192.0.2.1"), b.visitor("192.0.2.2")
	v.register("mara@example.org")
	o, err := v.Owner.BeginPasskey(t.Context(), v.Caller, v.found(), true)
	if err != nil {
		t.Fatal(err)
	}
	v.keep(flow.Result{BrowserCookie: o.BrowserCookie})
	a := passkeytest.New("portico.test", "https://portico.test", o.Handle)
	a.Flags = 0 // no user was asked
	v.must(v.Owner.AddPasskey(t.Context(), v.Caller, v.found(), a.Create(o.Challenge), true))
	if v.found().Session.Strong() {
		t.Error("the session counts a passkey that nobody has given")
	}
	if _, err := elsewhere.uses(a); err == nil {
		t.Error("it signs in without verification")
	}
	a.Flags = passkeytest.Present | passkeytest.Verified
	elsewhere.must(elsewhere.uses(a))
}
