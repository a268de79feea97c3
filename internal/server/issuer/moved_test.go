package issuer_test

import (
	"testing"
	"time"

	"portico/internal/store"
)

// A grant lasts as long as the session, also after a new sign-in in the same browser. Past
// the end of the former session the client may refresh, and it is told of the sign-out.
func TestLogout_AfterANewSignIn(t *testing.T) {
	t.Parallel()
	s := startTold(t)
	b := s.signedIn("mara@example.org")
	got := s.site.tokens(b)
	use := func(times int) {
		for range times {
			s.Clock.Advance(5 * 24 * time.Hour)
			b.Open("/auth/account")
		}
	}
	use(5)
	b.SignIn("mara@example.org")
	use(2)
	s.silent("after the end of the former session")
	err := s.Store.Write(s.Context(), func(tx *store.Tx) error {
		_, err := tx.Purge(s.Context(), s.Clock.Now(), 365*24*time.Hour)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	if r := s.token(refreshing(got.Renew)); r.StatusCode != 200 {
		t.Errorf("the refresh is answered %d %s", r.StatusCode, r.text)
	}
	b.Send("/auth/signout", nil)
	s.next("rp")
}
