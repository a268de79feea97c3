package session_test

import (
	"errors"
	"testing"
	"time"

	"portico/internal/apikey"
	"portico/internal/secret"
	"portico/internal/session"
	"portico/internal/store"
)

// A token has no idle end. Its uses are in memory until they are written, like those of a session.
func TestToken_LastUse(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.person("a")
	text := secret.Token()
	b.write(func(tx *store.Tx) error {
		return tx.InsertPersonal(t.Context(), secret.Hash(text), apikey.Personal{
			ID: "p", AccountID: "a", Version: 1, App: "wiki", CreatedAt: b.clock.Now(), EndsAt: b.clock.Now().Add(2 * idle),
		})
	})
	look := func(k *session.Keeper, use bool) error {
		return b.store.Read(t.Context(), func(tx *store.Tx) error {
			_, err := k.Token(t.Context(), tx, text, use)
			return err
		})
	}
	check := func(k *session.Keeper) error { return look(k, true) }
	if err := look(b.keeper, false); err != nil || !b.keeper.TokenSeen("p").IsZero() {
		t.Errorf("a look is a use: %v, %v", b.keeper.TokenSeen("p"), err)
	}
	for range 2 {
		if err := check(b.keeper); err != nil {
			t.Fatal(err)
		}
		if seen := b.keeper.TokenSeen("p"); !seen.Equal(b.clock.Now()) {
			t.Errorf("last seen at %v", seen)
		}
		b.flush(b.keeper)
		b.clock.Advance(idle + time.Second)
		b.keeper.Forget("a")
	}
	used := time.Time{}
	b.write(func(tx *store.Tx) error {
		p, _, err := tx.PersonalByHash(t.Context(), secret.Hash(text))
		used = p.UsedAt
		return err
	})
	if want := b.clock.Now().Add(-idle - time.Second); !used.Equal(want) {
		t.Errorf("the database knows of a use at %v, want %v", used, want)
	}
	if err := check(b.keeper); !errors.Is(err, session.Ended) {
		t.Errorf("after its end: %v", err)
	}
	b.holds(b.keeper, text, false, "a token as a session")
}
