package cli

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"portico/internal/account"
	"portico/internal/factor"
	"portico/internal/passkey"
	"portico/internal/store"
)

// user show counts what the account signs in with, also at a provider that the settings
// no longer have. It says of a deleted account when it is erased, as user list says its state.
func TestUserShow_Counts(t *testing.T) {
	t.Parallel()
	calls, s := installed(t)
	var made person
	if err := json.Unmarshal([]byte(calls("user", "create", "mara@example.com", "--json")), &made); err != nil {
		t.Fatal(err)
	}
	if err := s.Write(t.Context(), func(tx *store.Tx) error { return protect(t, tx, made.ID) }); err != nil {
		t.Fatal(err)
	}
	shown := calls("user", "show", "mara@example.com")
	for _, want := range []string{"passkeys\t1\n", "authenticator_apps\t2\n", "recovery_codes_left\t3\n", "trusted_browsers\t0\n", "providers\tcorp,google\n"} {
		if !strings.Contains(shown, want) {
			t.Errorf("there is no line %q in\n%s", want, shown)
		}
	}
	if shown := calls("user", "show", "mara@example.com", "--json"); !strings.Contains(shown, `"authenticator_apps": 2,`) {
		t.Error(shown)
	}
	if err := s.Write(t.Context(), func(tx *store.Tx) error { return leave(t, tx, made.ID) }); err != nil {
		t.Fatal(err)
	}
	if shown := calls("user", "list"); !strings.HasPrefix(shown, "mara@example.com\tleaving\t") {
		t.Errorf("an account that an admin has deleted is listed as %q", shown)
	}
	shown = calls("user", "show", "mara@example.com")
	if !strings.Contains(shown, "state\tleaving\n") || !strings.Contains(shown, "erased\t2030-01-02T03:04:05Z\n") {
		t.Errorf("an account that an admin has deleted is\n%s", shown)
	}
}

// leave deletes an account as an admin does.
func leave(t *testing.T, tx *store.Tx, id string) error {
	erase := time.Date(2030, 1, 2, 3, 4, 5, 0, time.UTC)
	if err := tx.InsertDeparture(t.Context(), account.Departure{AccountID: id, EraseAt: erase}); err != nil {
		return err
	}
	return tx.UpdateState(t.Context(), id, account.DisabledByOperator)
}

// protect gives an account one passkey, two apps, three recovery codes and two providers.
func protect(t *testing.T, tx *store.Tx, id string) error {
	if _, err := tx.InsertPasskey(t.Context(), passkey.Passkey{ID: "p", AccountID: id, Credential: []byte{1}}); err != nil {
		return err
	}
	for n := range 2 {
		if err := tx.InsertFactor(t.Context(), factor.Factor{ID: fmt.Sprint(n), AccountID: id, Kind: factor.TOTP}); err != nil {
			return err
		}
	}
	for n := range 3 {
		if _, err := tx.InsertRecoveryCode(t.Context(), factor.RecoveryCode{AccountID: id, Selector: fmt.Sprint(n)}); err != nil {
			return err
		}
	}
	for n, provider := range []string{"corp", "google"} {
		at := time.Unix(int64(n+1), 0)
		if _, err := tx.InsertIdentity(t.Context(), account.Identity{Issuer: provider, Subject: "1", Provider: provider, AccountID: id, CreatedAt: at}); err != nil {
			return err
		}
	}
	return nil
}
