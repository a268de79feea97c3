package account_test

import (
	"errors"
	"testing"
	"time"

	"portico/internal/account"
	"portico/internal/clock"
	"portico/internal/ids"
	"portico/internal/store"
	"portico/internal/store/sqlitetest"
)

func TestCreate(t *testing.T) {
	t.Parallel()
	s, now := sqlitetest.Open(t), clock.NewManual(time.Date(2026, 5, 4, 3, 2, 1, 0, time.UTC))
	directory := account.NewDirectory(now)
	create := func(typed string) (a account.Account, err error) {
		address, bad := account.ParseAddress(typed, "email")
		if bad != nil {
			t.Fatal(bad)
		}
		err = s.Write(t.Context(), func(tx *store.Tx) (err error) {
			a, err = directory.Create(t.Context(), tx, account.New{Address: address, Name: "Mara", Password: "hash", Locale: "de", Roles: []string{"r"}})
			return err
		})
		return a, err
	}
	made, err := create("Mara@X.test")
	if err != nil || !ids.Valid(made.ID) || made.State != account.Active || made.Version != 1 || made.Address.Mail != "Mara@X.test" || made.Locale != "de" || len(made.Roles) != 1 || !made.CreatedAt.Equal(now.Now()) {
		t.Errorf("made %+v (%v)", made, err)
	}
	// SEC-053: another spelling of the address is the same person.
	if again, err := create("mara@x.TEST"); !errors.Is(err, account.Exists) || again.ID != "" {
		t.Errorf("a second account: %+v (%v), want %v", again, err, account.Exists)
	}
	if other, err := create("mara+1@x.test"); err != nil || other.ID == made.ID {
		t.Errorf("another address: %+v (%v)", other, err)
	}
}

func TestLink(t *testing.T) {
	t.Parallel()
	s := sqlitetest.Open(t)
	directory := account.NewDirectory(clock.System{})
	for _, id := range []string{"a", "b"} {
		err := s.Write(t.Context(), func(tx *store.Tx) error {
			_, err := tx.InsertAccount(t.Context(), account.Account{ID: id, Address: account.Address{Key: id}})
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	for _, step := range []struct {
		account, subject string
		want             bool
	}{{"a", "s", true}, {"a", "s", true}, {"b", "s", false}, {"b", "t", true}, {"a", "t", false}} {
		err := s.Write(t.Context(), func(tx *store.Tx) error {
			has, err := directory.Join(t.Context(), tx, account.Identity{Issuer: "i", Subject: step.subject, AccountID: step.account})
			if has != step.want {
				t.Errorf("%s has %s: %v, want %v", step.account, step.subject, has, step.want)
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
}
