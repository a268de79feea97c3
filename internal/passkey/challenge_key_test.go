package passkey_test

import (
	"context"
	"errors"
	"net/url"
	"testing"
	"time"

	"portico/internal/clock"
	"portico/internal/passkey"
	"portico/internal/secret"
)

// once spends every ticket.
type once struct{ passkey.Store }

func (once) SpendTicket(context.Context, []byte, time.Time) (bool, error) { return true, nil }

// While the master key changes, a sign-in goes on. An addition begins again: its
// user handle was made of the former key.
func TestSpend_AfterAChangeOfTheKey(t *testing.T) {
	t.Parallel()
	key := secret.NewKey().With(secret.NewKey())
	k, err := passkey.NewKeeper(passkey.Config{Key: key, Clock: clock.System{}, Public: &url.URL{Scheme: "https", Host: "portico.test"}, Site: "Portico"})
	if err != nil {
		t.Fatal(err)
	}
	browser := secret.Token()
	signIn, add := k.Challenge(passkey.SignIn, browser, ""), k.Challenge(passkey.Add, browser, "session")
	key.Use(key.IDs()[1])
	if err := k.Spend(t.Context(), once{}, signIn, passkey.SignIn, browser, ""); err != nil {
		t.Errorf("a sign-in: %v", err)
	}
	if err := k.Spend(t.Context(), once{}, add, passkey.Add, browser, "session"); !errors.Is(err, passkey.Refused) {
		t.Errorf("an addition: %v", err)
	}
	if err := k.Spend(t.Context(), once{}, k.Challenge(passkey.Add, browser, "session"), passkey.Add, browser, "session"); err != nil {
		t.Errorf("an addition that begins afterwards: %v", err)
	}
}
