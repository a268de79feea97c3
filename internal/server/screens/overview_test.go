package screens_test

import (
	"errors"
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
	want := screens.SectionStates{Addresses: "1", Password: "yes", Passkeys: "0", Factors: "", Sessions: "1", Browsers: "0", Providers: "0", Apps: "0"}
	if b.Account.States != want {
		t.Errorf("%+v, want %+v", b.Account.States, want)
	}
	visit(s).SignIn("mara@example.org")
	if err := s.Store.Write(s.Context(), func(tx *store.Tx) error {
		if _, err := tx.UpdatePassword(s.Context(), b.Session.ID, "", false); err != nil {
			return err
		}
		// A browser that was trusted before a change of the credentials does not count.
		now := s.Clock.Now()
		former := trust.Browser{ID: "b", AccountID: b.Session.ID, Hash: []byte{1}, Mark: trust.Mark(nil), CreatedAt: now, UsedAt: now, ExpiresAt: now.Add(trust.Life)}
		if err := tx.InsertTrust(s.Context(), former); err != nil {
			return err
		}
		return tx.InsertFactor(s.Context(), factor.Factor{ID: "f", AccountID: b.Session.ID, Kind: factor.TOTP})
	}); err != nil {
		t.Fatal(err)
	}
	want.Password, want.Factors, want.Sessions = "", "yes", "2"
	if b := v.opens("/auth/account"); b.Account.States != want {
		t.Errorf("%+v, want %+v", b.Account.States, want)
	}

	// A number of its own for each list shows that none stands in the place of another.
	if err := s.Store.Write(s.Context(), func(tx *store.Tx) error { return gains(s, tx, b.Session.ID) }); err != nil {
		t.Fatal(err)
	}
	want.Addresses, want.Passkeys, want.Providers, want.Apps = "3", "4", "5", "6"
	if b := v.opens("/auth/account"); b.Account.States != want {
		t.Errorf("%+v, want %+v", b.Account.States, want)
	}
}

// gains gives an account two more addresses, four passkeys, five providers and six apps.
func gains(s *apptest.Site, tx *store.Tx, id string) error {
	var errs []error
	for n := range 6 {
		name := strconv.Itoa(n)
		errs = append(errs, tx.SaveConsent(s.Context(), openid.Consent{AccountID: id, ClientID: name, Scopes: []string{}}))
		if n < 5 {
			_, err := tx.InsertIdentity(s.Context(), account.Identity{Issuer: name, Subject: name, Provider: name, AccountID: id})
			errs = append(errs, err)
		}
		if n < 4 {
			_, err := tx.InsertPasskey(s.Context(), passkey.Passkey{ID: name, AccountID: id, Host: "localhost", Credential: []byte(name)})
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
