package issuer_test

import (
	"context"
	"testing"
	"time"

	"portico/internal/session"
	"portico/internal/store"
	"portico/internal/testform"
)

// endAged does what the background work does each minute.
func (s told) endAged() {
	s.Helper()
	err := s.Sessions.Flush(s.Context(), func(ctx context.Context, fn func(session.Store) error) error {
		return s.Store.Write(ctx, func(tx *store.Tx) error { return fn(tx) })
	})
	if err != nil {
		s.Fatal(err)
	}
	for more := true; more; {
		err := s.Store.Write(s.Context(), func(tx *store.Tx) (err error) {
			more, err = s.Operator.EndAged(s.Context(), tx)
			return err
		})
		if err != nil {
			s.Fatal(err)
		}
	}
}

// waiting returns how many messages are not yet delivered.
func (s told) waiting() (n int64) {
	s.Helper()
	err := s.Store.Read(s.Context(), func(tx *store.Tx) error {
		counts, err := tx.CountMessages(s.Context())
		n = int64(counts.Of().Waiting)
		return err
	})
	if err != nil {
		s.Fatal(err)
	}
	return n
}

// settled waits until the outbox is empty. A client has its message before Portico has deleted it
// there.
func (s told) settled() {
	s.Helper()
	late := time.After(testform.Patience) // as in next
	for s.waiting() > 0 {
		select {
		case <-late:
			s.Fatal("a message stays in the outbox")
		case <-time.After(time.Millisecond):
		}
	}
}

// silent expects that the background work tells no client.
func (s told) silent(when string) {
	s.Helper()
	s.settled()
	s.endAged()
	if s.waiting() > 0 || len(s.tokens) > 0 {
		s.Errorf("%s, a client is told", when)
	}
}

// The last use of a session is written a little later than it happens. Until then its tokens work, too.
func TestRefresh_InALiveSession(t *testing.T) {
	t.Parallel()
	s := start(t)
	const idle = 7 * 24 * time.Hour
	b := s.signedIn("mara@example.org")
	got := s.tokens(b)
	s.Clock.Advance(idle - 10*time.Second)
	b.Open("/auth/account") // a use
	s.Clock.Advance(20 * time.Second)
	next := s.token(refreshing(got.Refresh))
	if next.StatusCode != 200 || s.userInfo(next.Access).StatusCode != 200 {
		t.Fatalf("%d %s", next.StatusCode, next.text)
	}
	s.Clock.Advance(idle + 2*time.Minute)
	s.wants("in a session that nobody uses", s.token(refreshing(next.Refresh)), 400, "invalid_grant")
}

// A client is told once about a session that ends by itself: because it was not used, or
// by its age. A session that is used, or was ended by a press, is not announced again.
func TestLogout_ByAge(t *testing.T) {
	t.Parallel()
	s := startTold(t)
	const idle, absolute = 7 * 24 * time.Hour, 30 * 24 * time.Hour
	b := s.signedIn("mara@example.org")
	got := s.site.tokens(b)
	s.silent("at once")
	s.Clock.Advance(idle - time.Hour)
	b.Open("/auth/account") // a use
	s.silent("before its time")
	s.Clock.Advance(2 * time.Hour)
	s.silent("after a use")
	s.Clock.Advance(idle)
	s.endAged()
	claims := s.next("rp")
	if claims["sid"] == nil || claims["sub"] == nil {
		t.Errorf("the message says %v", claims)
	}
	s.silent("after the message")
	s.wants("the refresh token", s.token(refreshing(got.Refresh)), 400, "invalid_grant")

	offline := s.signedIn("noor@example.org")
	s.site.tokens(offline, "scope", "openid offline_access")
	for range 5 { // used each time, until its age ends it
		s.Clock.Advance(absolute / 5)
		offline.Open("/auth/account")
	}
	s.Clock.Advance(10 * time.Minute)
	s.endAged()
	s.next("rp")

	pressed := s.signedIn("lena@example.org")
	s.site.tokens(pressed)
	pressed.Send("/auth/signout", nil)
	s.next("rp")
	s.Clock.Advance(absolute)
	s.silent("after a sign-out")
}
