package flow_test

import (
	"errors"
	"net/url"
	"testing"
	"time"

	"portico/internal/audit"
	"portico/internal/flow"
	"portico/internal/passkey"
	"portico/internal/passkey/passkeytest"
)

// withPasskeys lets users have passkeys.
func withPasskeys(t *testing.T) option {
	return func(c *flow.Config) {
		public, err := url.Parse(c.PublicURL)
		if err == nil {
			c.Passkeys, err = passkey.NewKeeper(passkey.Config{Key: c.Key, Clock: c.Clock, Public: public, Site: "Portico"})
		}
		if err != nil {
			t.Fatal(err)
		}
	}
}

// creates lets an authenticator make a passkey, which is not added yet.
func (v *visitor) creates() (*passkeytest.Authenticator, passkey.Answer) {
	v.Helper()
	o, err := v.Owner.BeginPasskey(v.Context(), v.Caller, v.found(), false)
	if err != nil {
		v.Fatal(err)
	}
	v.keep(flow.Result{BrowserCookie: o.BrowserCookie})
	a := passkeytest.New("portico.test", "https://portico.test", o.Handle)
	return a, a.Create(o.Challenge)
}

// adds adds a passkey to the account of the visitor.
func (v *visitor) adds() *passkeytest.Authenticator {
	v.Helper()
	a, made := v.creates()
	v.must(v.Owner.AddPasskey(v.Context(), v.Caller, v.found(), made, false))
	return a
}

// An account has at most passkey.Most passkeys, also when two browsers add the last one.
func TestAddPasskey_Full(t *testing.T) {
	t.Parallel()
	b := setup(t, withPasskeys(t))
	v, other := b.visitor("192.0.2.1"), b.visitor("192.0.2.2")
	v.register("mara@example.org")
	key := v.adds()
	other.must(other.uses(key))
	for range passkey.Most - 2 {
		v.adds()
	}
	_, late := other.creates()
	v.adds()
	if _, err := b.Owner.AddPasskey(t.Context(), other.Caller, other.found(), late, false); !errors.Is(err, passkey.Full) {
		t.Errorf("one more, begun before: %v", err)
	}
	if _, err := b.Owner.BeginPasskey(t.Context(), v.Caller, v.found(), false); !errors.Is(err, passkey.Full) {
		t.Errorf("one more: %v", err)
	}
}

// uses signs in with a passkey.
func (v *visitor) uses(a *passkeytest.Authenticator) (flow.Result, error) {
	v.Helper()
	ask, err := v.Flows.AskPasskey(v.Caller)
	if err != nil {
		v.Fatal(err)
	}
	if ask.BrowserCookie != "" {
		v.Caller.BrowserCookie = ask.BrowserCookie
	}
	return v.Flows.SignInPasskey(v.Context(), v.Caller, flow.PasskeyInput{Answer: a.Use(ask.Challenge)})
}

func TestSignInPasskey(t *testing.T) {
	t.Parallel()
	b := setup(t, withPasskeys(t))
	v, elsewhere := b.visitor("192.0.2.1"), b.visitor("192.0.2.2")
	v.register("mara@example.org")
	a := v.adds()
	if m := b.next(); m.Template != "passkey-added" {
		t.Errorf("the owner gets %s", m.Template)
	}
	if f := b.record(audit.PasskeyAdded); f.Detail != passkeytest.Model {
		t.Errorf("%+v", f)
	}
	elsewhere.must(elsewhere.uses(a))
	s := elsewhere.found().Session
	if !s.Strong() || len(s.Methods) != 1 || s.Methods[0] != passkey.Method {
		t.Errorf("%+v", s)
	}
	if m := b.next(); m.Template != "new-device" {
		t.Errorf("the owner gets %s", m.Template)
	}
	if err := b.Operator.SetUserState(t.Context(), flow.ByOperator, v.found().User.ID, "closed"); err != nil {
		t.Fatal(err)
	}
	if _, err := elsewhere.uses(a); err == nil {
		t.Error("a closed account is entered")
	}
	if f := b.record(audit.SignInRefused); f.Actor != "self" || f.Detail != "passkey,account.disabled" || f.AccountID == "" {
		t.Errorf("%+v", f)
	}
}

// Only passkeys that are unknown, or whose answer is wrong, count as wrong.
func TestSignInPasskey_CountsWrongOnes(t *testing.T) {
	t.Parallel()
	at := ""
	b := setup(t, withPasskeys(t), func(c *flow.Config) { c.Store = awayStore{c.Store, &at} })
	v := b.visitor("192.0.2.1")
	v.register("mara@example.org")
	a := v.adds()
	forged := *a
	forged.Sign = func([]byte) []byte { return []byte("forged") }
	for _, each := range []struct {
		what string
		by   *passkeytest.Authenticator
		away string        // where the database goes away
		late time.Duration // after the challenge
		want uint64
	}{
		{"a good one", a, "", 0, 0},
		{"an unknown one", passkeytest.New("portico.test", "https://portico.test", a.Handle), "", 0, 1},
		{"a forged one", &forged, "", 0, 1},
		{"no database", a, "passkey", 0, 0},
		{"an expired challenge", a, "", passkey.Life, 0},
	} {
		ask, err := b.Flows.AskPasskey(v.Caller)
		if err != nil {
			t.Fatal(err)
		}
		before := b.Flows.Stats().Wrong["passkey"]
		b.clock.Advance(each.late)
		at = each.away
		_, err = b.Flows.SignInPasskey(t.Context(), v.Caller, flow.PasskeyInput{Answer: each.by.Use(ask.Challenge)})
		at = ""
		if n := b.Flows.Stats().Wrong["passkey"] - before; n != each.want {
			t.Errorf("%s: %d wrong, %v", each.what, n, err)
		}
	}
}

// SEC-124 of passkeys: the last way in stays, and a removed passkey ends what it
// may have started.
func TestRemovePasskey(t *testing.T) {
	t.Parallel()
	b := setup(t, withPasskeys(t), withProvider(t))
	v, elsewhere := b.visitor("192.0.2.1"), b.visitor("192.0.2.2")
	v.register("mara@example.org")
	a := v.adds()
	elsewhere.must(elsewhere.uses(a))
	v.must(b.Owner.RemovePassword(t.Context(), v.Caller, v.found()))
	held, err := b.Owner.Passkeys(t.Context(), v.found().User.ID)
	if err != nil || len(held) != 1 {
		t.Fatalf("%d passkeys, %v", len(held), err)
	}
	remove := func() error { return b.Owner.RemovePasskey(t.Context(), v.Caller, v.found(), held[0].ID) }
	if err := remove(); !errors.Is(err, flow.LastWay) {
		t.Errorf("the only way in may be removed: %v", err)
	}
	elsewhere.must(elsewhere.uses(a))
	v.adds()
	if err := remove(); err != nil {
		t.Fatal(err)
	}
	if elsewhere.signedIn() != "" || v.signedIn() == "" {
		t.Errorf("here %q, elsewhere %q", v.signedIn(), elsewhere.signedIn())
	}
	b.record(audit.PasskeyRemoved)
	if _, err := elsewhere.uses(a); !errors.Is(err, passkey.Unknown) {
		t.Errorf("the removed passkey: %v", err)
	}
	if err := remove(); !errors.Is(err, passkey.Missing) {
		t.Errorf("a second time: %v", err)
	}
}

func TestRenamePasskey(t *testing.T) {
	t.Parallel()
	b, v := registered(t, withPasskeys(t))
	v.adds()
	b.next()
	held, _ := b.Owner.Passkeys(t.Context(), v.found().User.ID)
	rename := func(name string) error {
		return b.Owner.RenamePasskey(t.Context(), v.Caller, v.found(), held[0].ID, name)
	}
	if err := rename("  "); err == nil {
		t.Error("a passkey without a name")
	}
	if err := rename("Ma\u202era"); err == nil {
		t.Error("a name turns text around")
	}
	if err := rename(" My  phone "); err != nil {
		t.Fatal(err)
	}
	if m := b.next(); m.Template != "passkey-renamed" {
		t.Errorf("the owner gets %s", m.Template)
	}
	held, _ = b.Owner.Passkeys(t.Context(), v.found().User.ID)
	if held[0].Name != "My phone" {
		t.Errorf("the name is %q", held[0].Name)
	}
	b.clock.Advance(10 * time.Minute)
	if err := rename("another"); !errors.Is(err, flow.ProofNeeded) {
		t.Errorf("with an old proof: %v", err)
	}
}

// Nothing about passkeys works where the operator has none.
func TestPasskeys_Off(t *testing.T) {
	t.Parallel()
	b, v := registered(t)
	_, ask := b.Flows.AskPasskey(v.Caller)
	_, begin := b.Owner.BeginPasskey(t.Context(), v.Caller, v.found(), false)
	_, enter := b.Flows.SignInPasskey(t.Context(), v.Caller, flow.PasskeyInput{})
	_, add := b.Owner.AddPasskey(t.Context(), v.Caller, v.found(), passkey.Answer{}, false)
	for _, err := range []error{ask, begin, enter, add} {
		if !errors.Is(err, passkey.Off) {
			t.Errorf("%v, want that passkeys are off", err)
		}
	}
}
