package security

import (
	"testing"
	"time"

	"portico/internal/session"
)

func TestSEC460_AnAccountHasSoManySessions(t *testing.T) {
	announce(t)
	t.Parallel()
	s := start(t)
	address := fresh("v")
	s.operator(address, good)
	unused, used := s.visitor(), s.visitor()
	unused.signIn(address, good).must(200)
	used.signIn(address, good).must(200)
	s.clock.Advance(time.Hour)
	if used.whoami() == "" {
		t.Fatal("not signed in")
	}
	var newest *visitor
	for range session.Most - 1 {
		newest = s.visitor()
		newest.signIn(address, good).must(200)
	}
	var list struct {
		Sessions []struct{ ID string }
	}
	if newest.get("/auth/api/sessions").must(200).parse(&list); len(list.Sessions) != session.Most {
		t.Errorf("the account has %d sessions, want %d", len(list.Sessions), session.Most)
	}
	if n := s.count(`SELECT COUNT(*) FROM session`); n != session.Most {
		t.Errorf("the database has %d sessions", n)
	}
	if unused.whoami() != "" || used.whoami() == "" {
		t.Error("not the session ends that was used least recently")
	}
}
