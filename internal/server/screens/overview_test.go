package screens_test

import (
	"errors"
	"slices"
	"strconv"
	"testing"

	"portico/internal/account"
	"portico/internal/apptest"
	"portico/internal/factor"
	"portico/internal/openid"
	"portico/internal/passkey"
	"portico/internal/server/screens"
	"portico/internal/store"
	"portico/internal/trust"
)

// The overview shows the state of what the account has.
func TestOverview_States(t *testing.T) {
	t.Parallel()
	s, v := person(t)
	b := v.opens("/auth/account")
	want := screens.SectionStates{
		Addresses: "mara@example.org", Password: "Set", Passkeys: "None. Add one to sign in without a password",
		Factors: "Off. Add a second step", Weak: "yes", Sessions: "Only this device",
		Browsers: "None", Providers: "None. Connect one to sign in with it", Apps: "No app has access",
	}
	if b.Account.States != want {
		t.Errorf("%+v, want %+v", b.Account.States, want)
	}
	// A passkey for convenience is not asked for after a password, and no password cannot be stolen.
	held := passkey.Passkey{
		ID: "held", AccountID: b.Session.ID, Credential: []byte("held"), PublicKey: []byte("k"), Handle: []byte("h"), Host: "localhost",
		CreatedAt: s.Clock.Now(), UsedAt: s.Clock.Now(),
	}
	if err := s.Store.Write(s.Context(), func(tx *store.Tx) error {
		_, err := tx.InsertPasskey(s.Context(), held)
		return err
	}); err != nil {
		t.Fatal(err)
	}
	if b := v.opens("/auth/account"); b.Account.States.Weak != "yes" {
		t.Error("the password alone signs in, and the overview does not say so")
	}
	visit(s).SignIn("mara@example.org")
	if err := s.Store.Write(s.Context(), func(tx *store.Tx) error {
		err := tx.RehashPassword(s.Context(), b.Session.ID, "")
		if err == nil {
			_, err = tx.DeletePasskey(s.Context(), b.Session.ID, held.ID)
		}
		return err
	}); err != nil {
		t.Fatal(err)
	}
	if b := v.opens("/auth/account"); b.Account.States.Weak != "" {
		t.Error("an account without a password is called weak")
	}
	if err := s.Store.Write(s.Context(), func(tx *store.Tx) error {
		if err := tx.RehashPassword(s.Context(), b.Session.ID, ""); err != nil {
			return err
		}
		// A browser that was trusted before a change of the credentials does not count.
		now := s.Clock.Now()
		former := trust.Browser{ID: "b", AccountID: b.Session.ID, Hash: []byte{1}, Fingerprint: trust.Fingerprint(nil), CreatedAt: now, UsedAt: now, ExpiresAt: now.Add(trust.Life)}
		if err := tx.InsertTrust(s.Context(), former); err != nil {
			return err
		}
		return tx.InsertFactor(s.Context(), factor.Factor{ID: "f", AccountID: b.Session.ID, Kind: factor.TOTP, CreatedAt: now, UsedAt: now})
	}); err != nil {
		t.Fatal(err)
	}
	want.Password, want.Factors, want.Weak = "Not set. You sign in without one", "On, with an authenticator app", ""
	want.Sessions = "This device and 1 more"
	if b := v.opens("/auth/account"); b.Account.States != want {
		t.Errorf("%+v, want %+v", b.Account.States, want)
	}

	// A number of its own for each list shows that none stands in the place of another.
	if err := s.Store.Write(s.Context(), func(tx *store.Tx) error { return gains(s, tx, b.Session.ID) }); err != nil {
		t.Fatal(err)
	}
	want.Addresses, want.Passkeys, want.Apps = "mara@example.org and 2 more", "4 passkeys", "6 apps have access"
	want.Providers = "0, 1, 2, 3, 4"
	b = v.opens("/auth/account")
	if b.Account.States != want {
		t.Errorf("%+v, want %+v", b.Account.States, want)
	}
	// The account has an app without recovery codes, and passkeys of another host.
	alerts := []screens.Alert{
		{ID: "codes_none", Text: "You have no recovery codes. Get some in case you lose your app", Page: "/auth/account/factors"},
		{ID: "passkey", Text: "A passkey of yours was made for former.example and doesn't work here. Add a new one", Page: "/auth/account/passkeys"},
	}
	if !slices.Equal(b.Account.Alerts, alerts) {
		t.Errorf("%+v, want %+v", b.Account.Alerts, alerts)
	}
}

// gains gives an account two more addresses, four passkeys, five providers and six apps.
func gains(s *apptest.Site, tx *store.Tx, id string) error {
	var errs []error
	for n := range 6 {
		name := strconv.Itoa(n)
		errs = append(errs, tx.SaveConsent(s.Context(), openid.Consent{AccountID: id, ClientID: name, Scopes: []string{}}))
		if n < 5 {
			_, err := tx.InsertIdentity(s.Context(), account.Identity{Issuer: name, Subject: name, Provider: name, AccountID: id, CreatedAt: s.Clock.Now()})
			errs = append(errs, err)
		}
		if n < 4 {
			_, err := tx.InsertPasskey(s.Context(), passkey.Passkey{ID: name, AccountID: id, Host: "former.example", Credential: []byte(name)})
			errs = append(errs, err)
		}
		if n < 2 {
			errs = append(errs, tx.KeepAddress(s.Context(), account.Other{
				AccountID: id, Address: account.Address{Mail: name, Key: name}, Use: account.Spare, Until: account.Forever,
			}))
		}
	}
	return errors.Join(errs...)
}
