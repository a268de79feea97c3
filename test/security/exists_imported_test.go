package security

import (
	"testing"
	"time"

	"portico/internal/store"
)

// imported is what another system has of the password "gärtner-Übung": MD5 without a salt.
const imported = "f453e7788d04c649d0ef32eac9707e51"

// imports gives an account the hash of another system, as an import stores it, and returns what
// is stored.
func (s *site) imports(address, hash string) (stored string) {
	s.Helper()
	a, err := s.app.Operator.User(s.Context(), address)
	if err != nil {
		s.Fatal(err)
	}
	if stored, _, err = s.app.Passwords.Adopt(hash); err != nil {
		s.Fatal(err)
	}
	err = s.app.Store.Write(s.Context(), func(tx *store.Tx) error {
		return tx.RehashPassword(s.Context(), a.ID, stored)
	})
	if err != nil {
		s.Fatal(err)
	}
	return stored
}

func TestSEC405_ImportedHashTimeTellsNothing(t *testing.T) {
	announce(t)
	s := start(t, costly)
	address, nobody := fresh("v"), fresh("nobody")
	s.operator(address, good)
	s.imports(address, imported)
	attempt := func(address string) func() time.Duration {
		v := s.visitor()
		return func() time.Duration {
			s.clock.Advance(31 * 24 * time.Hour) // after all limits have ended
			return timed(func() { v.signIn(address, other).refused(401, "signin.rejected") })
		}
	}
	unknown := attempt(nobody)
	for range 5 {
		unknown() // warm up
	}
	judge(t, "SEC-405 wrong password, imported MD5 and nobody", rounds(60, 300), 5*time.Millisecond, attempt(address), unknown)
	if !s.accepts(address, "gärtner-Übung") {
		t.Error("the password of the other system is not accepted")
	}
}
