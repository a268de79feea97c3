package screens_test

import (
	"testing"

	"portico/internal/factor"
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
}
