package issuer_test

import (
	"testing"
	"time"

	"portico/internal/apptest"
	"portico/internal/config"
	"portico/internal/store"
	"portico/internal/store/storetest"
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
	s.purges()
	if r := s.token(refreshing(got.Refresh)); r.StatusCode != 200 {
		t.Errorf("the refresh is answered %d %s", r.StatusCode, r.text)
	}
	b.Send("/auth/signout", nil)
	s.next("rp")
}

// purges does what the background work does after EndAged.
func (s told) purges() {
	s.Helper()
	err := s.Store.Write(s.Context(), func(tx *store.Tx) error {
		_, err := storetest.Purge(s.Context(), tx, s.Clock.Now(), s.Clock.Now().AddDate(-1, 0, 0))
		return err
	})
	if err != nil {
		s.Fatal(err)
	}
}

// With offline_access, tokens work for 30 days. A client is told of a sign-out after that too.
func TestLogout_AfterTheTokens(t *testing.T) {
	t.Parallel()
	for name, signsInAgain := range map[string]bool{"a long session": false, "a new sign-in": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := startTold(t, func(c *config.Config) {
				if !signsInAgain {
					c.Session.Absolute = 90 * 24 * time.Hour
				}
			})
			b := s.signedIn("mara@example.org")
			got := s.site.tokens(b, "scope", "openid offline_access")
			for range 7 {
				s.Clock.Advance(5*24*time.Hour - time.Minute)
				if b.Open("/auth/account"); signsInAgain {
					b.SignIn("mara@example.org")
				}
				if s.Clock.Now().Before(apptest.Began().Add(30 * 24 * time.Hour)) {
					got = s.token(refreshing(got.Refresh))
				}
				s.silent("before the sign-out")
				s.purges()
			}
			s.wants("after 30 days", s.token(refreshing(got.Refresh)), 400, "invalid_grant")
			b.Send("/auth/signout", nil)
			s.next("rp")
			s.quiet()
		})
	}
}
