package flow_test

import (
	"cmp"
	"errors"
	"testing"
	"time"

	"portico/internal/account"
	"portico/internal/audit"
	"portico/internal/flow"
	"portico/internal/session"
	"portico/internal/store"
)

// withProvider gives the flows the provider "google", and "github", which never tells
// when its user signed in.
func withProvider(t *testing.T) option {
	return func(c *flow.Config) { c.Providers = federated(t, c.Clock, "google", "github") }
}

// found returns the session of the visitor.
func (v *visitor) found() session.Found {
	v.Helper()
	found, err := v.Flows.Session(v.Context(), v.Caller.Session)
	if err != nil {
		v.Fatal(err)
	}
	return found
}

// links gives the account of the visitor an identity at a provider.
func (v *visitor) links(provider string) {
	v.Helper()
	err := v.store.past(v.Context(), func(tx *store.Tx) error {
		_, err := tx.InsertIdentity(v.Context(), account.Identity{
			Issuer: cmp.Or(map[string]string{"google": google, "github": "https://github.com"}[provider], "https://"+provider), Subject: v.found().User.ID, Provider: provider, AccountID: v.found().User.ID, CreatedAt: v.clock.Now(),
		})
		return err
	})
	if err != nil {
		v.Fatal(err)
	}
}

func TestChangePassword(t *testing.T) {
	t.Parallel()
	b := setup(t)
	v, elsewhere := b.visitor("192.0.2.1"), b.visitor("192.0.2.2")
	v.register("mara@example.org")
	elsewhere.must(elsewhere.signIn("mara@example.org", good))
	b.next() // about the new browser
	old := v.found()
	pending := elsewhere.must(b.Flows.Recover(t.Context(), elsewhere.Caller, "mara@example.org", flow.Target{}))
	code := b.next().Data["code"]

	if _, err := b.Owner.ChangePassword(t.Context(), v.Caller, old, good, good); err == nil {
		t.Error("the current password is a new one")
	}
	v.must(b.Owner.ChangePassword(t.Context(), v.Caller, old, another, another))
	if m := b.next(); m.Template != "password-changed" || m.To != "mara@example.org" {
		t.Errorf("the owner gets %s", m.Template)
	}
	if f := b.record(audit.PasswordChanged); f.Detail != "account" || f.Actor != "self" {
		t.Errorf("%+v", f)
	}
	if v.signedIn() == "" || elsewhere.signedIn() != "" {
		t.Errorf("here %q, elsewhere %q", v.signedIn(), elsewhere.signedIn())
	}
	if now := v.found().Session; now.ID == old.Session.ID || !now.AuthenticatedAt.Equal(old.Session.AuthenticatedAt) || now.Methods[0] != old.Session.Methods[0] {
		t.Errorf("the session is %+v, want a new one with the proofs of %+v", now, old.Session)
	}
	if _, err := b.Flows.VerifyCode(t.Context(), elsewhere.Caller, pending.FlowID, code); !errors.Is(err, flow.Unknown) {
		t.Errorf("a recovery from before goes on: %v", err)
	}
	if _, err := v.signIn("mara@example.org", good); !errors.Is(err, flow.Rejected) {
		t.Errorf("the old password: %v", err)
	}
	v.must(v.signIn("mara@example.org", another))
}

// A change needs a proof of the last ten minutes, and a session that still exists.
func TestGuard(t *testing.T) {
	t.Parallel()
	b, v := registered(t, withProvider(t))
	v.links("google")
	found := v.found()
	for name, change := range map[string]func(session.Found) (flow.Result, error){
		"change": func(s session.Found) (flow.Result, error) {
			return b.Owner.ChangePassword(t.Context(), v.Caller, s, another, another)
		},
		"remove": func(s session.Found) (flow.Result, error) { return b.Owner.RemovePassword(t.Context(), v.Caller, s) },
	} {
		stale := found
		stale.Session.AuthenticatedAt = b.clock.Now().Add(-10 * time.Minute)
		if _, err := change(stale); !errors.Is(err, flow.ProofNeeded) {
			t.Errorf("%s with an old proof: %v", name, err)
		}
		stale.Session.AuthenticatedAt = time.Time{}
		if _, err := change(stale); !errors.Is(err, flow.ProofNeeded) {
			t.Errorf("%s with a proof of an unknown time: %v", name, err)
		}
		gone := found
		gone.Session.ID = "01jd3k8v5q0000000000000000"
		if _, err := change(gone); !errors.Is(err, session.Required) {
			t.Errorf("%s in a session that has ended: %v", name, err)
		}
		other := found
		other.Session.Version++
		if _, err := change(other); !errors.Is(err, session.Required) {
			t.Errorf("%s with other credentials: %v", name, err)
		}
	}
	b.clock.Advance(10*time.Minute - time.Second)
	v.must(b.Owner.ChangePassword(t.Context(), v.Caller, v.found(), another, another))
	b.clock.Advance(2 * time.Second)
	if _, err := b.Owner.RemovePassword(t.Context(), v.Caller, v.found()); !errors.Is(err, flow.ProofNeeded) {
		t.Errorf("the new session has a newer proof than was given: %v", err)
	}
}

func TestRemovePassword(t *testing.T) {
	t.Parallel()
	b, v := registered(t, withProvider(t))
	v.links("gone") // a provider that the operator has removed
	if _, err := b.Owner.RemovePassword(t.Context(), v.Caller, v.found()); !errors.Is(err, flow.LastWay) {
		t.Errorf("the only way in may be removed: %v", err)
	}
	v.links("google")
	v.must(b.Owner.RemovePassword(t.Context(), v.Caller, v.found()))
	if m := b.next(); m.Template != "password-removed" {
		t.Errorf("the owner gets %s", m.Template)
	}
	b.record(audit.PasswordRemoved)
	if ways, err := b.Owner.Ways(t.Context(), v.found().User.ID); err != nil || ways.Password || ways.Others != 1 {
		t.Errorf("%+v, %v", ways, err)
	}
	if _, err := v.signIn("mara@example.org", good); !errors.Is(err, flow.Rejected) {
		t.Errorf("the removed password: %v", err)
	}
	v.must(b.Owner.ChangePassword(t.Context(), v.Caller, v.found(), good, good)) // sets the first one again
	v.must(v.signIn("mara@example.org", good))
}

func TestRecover_WithoutAPassword(t *testing.T) {
	t.Parallel()
	b, v := registered(t, withProvider(t))
	v.links("gone") // a provider that the operator has removed
	v.links("google")
	id := v.found().User.ID
	v.must(b.Owner.RemovePassword(t.Context(), v.Caller, v.found()))
	b.next() // about that
	if _, err := b.Flows.Recover(t.Context(), v.Caller, "mara@example.org", flow.Target{}); err != nil {
		t.Fatal(err)
	}
	if m := b.next(); m.Template != "provider-only" || m.Data["provider"] != "Google" {
		t.Errorf("the owner is led to %s %v", m.Template, m.Data)
	}
	if err := b.Operator.UnlinkUser(t.Context(), flow.ByOperator, id, "google"); err != nil {
		t.Fatal(err)
	}
	b.next() // about that
	if _, err := b.Flows.Recover(t.Context(), v.Caller, "mara@example.org", flow.Target{}); err != nil {
		t.Fatal(err)
	}
	if m := b.next(); m.Template != "recover" {
		t.Errorf("with nothing but a provider that does not exist, the owner gets %s", m.Template)
	}
}

// An account whose only provider never tells the time of a sign-in can change nothing
// without a password. Its owner sets the first one by email, and then can.
func TestRecover_ProviderWithoutTime(t *testing.T) {
	t.Parallel()
	b, v := registered(t, withProvider(t))
	v.links("github")
	id := v.found().User.ID
	proves := func(want flow.Renewal) {
		t.Helper()
		if p, err := b.Owner.RenewalOf(t.Context(), id); err != nil || p != want {
			t.Errorf("the proof is %v, want %v (%v)", p, want, err)
		}
	}
	proves(flow.ByPassword)
	v.must(b.Owner.RemovePassword(t.Context(), v.Caller, v.found()))
	b.next() // about that
	proves(flow.ByReset)
	b.clock.Advance(time.Hour)
	r := v.must(b.Flows.Recover(t.Context(), v.Caller, "mara@example.org", flow.Target{}))
	m := b.next()
	if m.Template != "recover" {
		t.Fatalf("the owner gets %s", m.Template)
	}
	r = v.must(b.Flows.VerifyCode(t.Context(), v.Caller, r.FlowID, m.Data["code"]))
	v.must(b.Flows.ResetPassword(t.Context(), v.Caller, flow.ResetInput{FlowID: r.FlowID, Password: another, Confirm: another}))
	proves(flow.ByPassword)
	if err := b.Owner.Fresh(t.Context(), v.found()); err != nil {
		t.Errorf("after the recovery: %v", err)
	}

	v.links("google")
	v.must(b.Owner.RemovePassword(t.Context(), v.Caller, v.found()))
	proves(flow.ByOther)
}

// The mailbox sets no password where its owner has a second factor or a passkey: that
// is stronger, and is asked for in its place.
func TestRecover_ProviderWithoutTimeBesideFactor(t *testing.T) {
	t.Parallel()
	for name, adds := range map[string]func(v *visitor){
		"authenticator app": func(v *visitor) { v.enrols() },
		"passkey":           func(v *visitor) { v.adds() },
	} {
		b, v := registered(t, withProvider(t), withPasskeys(t))
		v.links("github")
		adds(v)
		v.must(b.Owner.RemovePassword(t.Context(), v.Caller, v.found()))
		if by, err := b.Owner.RenewalOf(t.Context(), v.found().User.ID); err != nil || by != flow.ByOther {
			t.Errorf("%s: the proof is %v (%v)", name, by, err)
		}
		v.must(b.Flows.Recover(t.Context(), b.visitor("192.0.2.2").Caller, "mara@example.org", flow.Target{}))
		m := b.next()
		for m.Template != "provider-only" && m.Template != "recover" {
			m = b.next()
		}
		if m.Data["provider"] != "GitHub" || m.Data["code"] != "" {
			t.Errorf("%s: the owner gets %s %v", name, m.Template, m.Data)
		}
	}
}

func TestChangeProfile(t *testing.T) {
	t.Parallel()
	b, v := registered(t)
	b.clock.Advance(time.Hour) // needs no new proof
	change := func(p flow.Profile) error {
		_, _, err := b.Owner.ChangeProfile(t.Context(), v.Caller, v.found(), p, []string{"de", "en"})
		return err
	}
	if err := change(flow.Profile{Name: "  Mara  Lind ", Locale: "de"}); err != nil {
		t.Fatal(err)
	}
	if m := b.next(); m.Template != "name-changed" {
		t.Errorf("the owner gets %s", m.Template)
	}
	if f := b.record(audit.LocaleChanged); f.Detail != "de" {
		t.Errorf("%+v", f)
	}
	b.record(audit.NameChanged)
	if name := v.found().User.Name; name != "Mara Lind" {
		t.Errorf("apps see the name %q", name)
	}
	if err := change(flow.Profile{Name: "Mara Lind", Locale: "xx"}); err != nil {
		t.Fatal(err)
	}
	if p, err := b.Owner.Profile(t.Context(), v.found().User.ID); err != nil || p != (flow.Profile{Name: "Mara Lind", Locale: "de"}) {
		t.Errorf("%+v, %v", p, err)
	}
	if err := change(flow.Profile{Name: "Ma\u202era"}); err == nil {
		t.Error("a name turns text around")
	}
	found := v.found()
	found.Session.ID = "01jd3k8v5q0000000000000000"
	if _, _, err := b.Owner.ChangeProfile(t.Context(), v.Caller, found, flow.Profile{Name: "Eve"}, nil); !errors.Is(err, session.Required) {
		t.Errorf("a session that has ended: %v", err)
	}
}

func TestSetUserAddress(t *testing.T) {
	t.Parallel()
	b := setup(t)
	v, stranger := b.visitor("192.0.2.1"), b.visitor("192.0.2.2")
	v.register("mara@example.org")
	stranger.register("noor@example.org")
	id := v.found().User.ID
	pending := v.must(b.Flows.Recover(t.Context(), v.Caller, "mara@example.org", flow.Target{}))
	code := b.next().Data["code"]
	if err := b.Operator.SetUserAddress(t.Context(), flow.ByOperator, id, "NOOR@example.org"); !errors.Is(err, account.Exists) {
		t.Errorf("an address that is taken: %v", err)
	}
	before := len(b.store.facts.all())
	if err := b.Operator.SetUserAddress(t.Context(), flow.ByOperator, id, "mara@example.org"); err != nil || len(b.store.facts.all()) > before || v.signedIn() == "" {
		t.Errorf("the address that the account has: %v", err)
	}
	if err := b.Operator.SetUserAddress(t.Context(), flow.ByOperator, id, "mara@example.net"); err != nil {
		t.Fatal(err)
	}
	mails := map[string]string{}
	for range 2 {
		m := b.next()
		mails[m.Template] = m.To
		if m.Data["alarm_link"] != "" { // of a stranger too, if the operator has mistyped the address
			t.Errorf("%s has a link", m.To)
		}
	}
	if mails["address-changed"] != "mara@example.org" || mails["address-given"] != "mara@example.net" {
		t.Errorf("the emails are %v", mails)
	}
	if f := b.record(audit.AddressChanged); f.Actor != "operator" || f.AccountID != id {
		t.Errorf("%+v", f)
	}
	if v.signedIn() != "" {
		t.Error("the session goes on")
	}
	if _, err := b.Flows.VerifyCode(t.Context(), v.Caller, pending.FlowID, code); !errors.Is(err, flow.Unknown) {
		t.Errorf("the old mailbox still recovers the account: %v", err)
	}
	if _, err := v.signIn("mara@example.org", good); !errors.Is(err, flow.Rejected) {
		t.Errorf("the old address still signs in: %v", err)
	}
	v.must(v.signIn("mara@example.net", good))
}

func TestUnlinkUser(t *testing.T) {
	t.Parallel()
	b, v := registered(t, withProvider(t))
	v.links("google")
	id := v.found().User.ID
	if err := b.Operator.UnlinkUser(t.Context(), flow.ByOperator, id, "github"); !errors.Is(err, flow.NotLinked) {
		t.Errorf("a provider that is not linked: %v", err)
	}
	if err := b.Operator.UnlinkUser(t.Context(), flow.ByOperator, id, "google"); err != nil {
		t.Fatal(err)
	}
	if m := b.next(); m.Template != "provider-removed" || m.Data["provider"] != "Google" {
		t.Errorf("the owner gets %s %v", m.Template, m.Data)
	}
	if f := b.record(audit.ProviderRemoved); f.Detail != "google" {
		t.Errorf("%+v", f)
	}
	if ways, err := b.Owner.Ways(t.Context(), id); err != nil || ways.Others != 0 || v.signedIn() != "" {
		t.Errorf("%+v, signed in as %q", ways, v.signedIn())
	}
}
