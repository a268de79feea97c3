package security

import (
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"
)

// inTurn sends requests that wait for an account, one after the other, and then frees it. The database lets them go on in the
// order in which they came. Each has read by then what it reads before it waits. On SQLite, a transaction waits
// before it reads anything.
func (s *site) inTurn(accountID string, requests ...func()) {
	s.Helper()
	if s.onSQLite() {
		for _, request := range requests {
			request()
		}
		return
	}
	hold, err := s.openDatabase("").Begin()
	s.must(err)
	var holder int
	s.must(hold.QueryRow(`SELECT pg_backend_pid() FROM account WHERE id = $1 FOR UPDATE`, accountID).Scan(&holder))
	watch := s.database()
	var all sync.WaitGroup
	for n, request := range requests {
		done := make(chan struct{})
		all.Go(func() { defer close(done); request() })
		for waiting := 0; waiting <= n; {
			select {
			case <-done:
				s.Fatalf("request %d does not wait for the account", n)
			case <-time.After(time.Millisecond):
			}
			s.must(watch.QueryRow(`WITH RECURSIVE waits AS (
				SELECT pid FROM pg_stat_activity WHERE $1 = ANY(pg_blocking_pids(pid))
				UNION SELECT a.pid FROM waits w, pg_stat_activity a WHERE w.pid = ANY(pg_blocking_pids(a.pid))
				) SELECT COUNT(*) FROM waits`, holder).Scan(&waiting))
		}
	}
	s.must(hold.Rollback())
	all.Wait()
}

func TestSEC486_TheOwnerClaimsTheAccountDuringASignIn(t *testing.T) {
	announce(t)
	t.Parallel()
	s, p := startWithIDP(t, false, byCode)
	for _, way := range preparedWays() {
		a, owner, stranger := s.brings(p, false), s.visitor(), s.visitor()
		key := stranger.ask()
		answer := p.approve(stranger.leave("acme", nil))
		p.says(object{"sub": a.subject, "email": a.address, "email_verified": false})
		flow := owner.sendCode(a.address)
		code := s.mail.next(a.address).code(t)
		s.inTurn(s.of(a.address).ID, func() { owner.verify(flow, code) }, func() {
			switch way {
			case "password":
				stranger.signIn(a.address, good)
			case "passkey":
				stranger.enter(a.key.Use(key))
			case "provider":
				stranger.callback("acme", answer)
			}
		})
		if owner.whoami() != a.address || stranger.whoami() != "" {
			t.Errorf("%s: the owner is signed in as %q, and the stranger as %q", way, owner.whoami(), stranger.whoami())
		}
		if s.of(a.address).Password != "" {
			t.Errorf("%s: the account has a password", way)
		}
	}
}

func TestSEC487_TheProviderIsDisconnectedDuringASignIn(t *testing.T) {
	announce(t)
	t.Parallel()
	s, p := startWithIDP(t, false)
	p.says(object{"email": fresh("intruder"), "email_verified": true})
	owner, address := s.signedIn()
	owner.callback("acme", p.approve(owner.connects())).must(303)
	intruder := s.visitor()
	answer := p.approve(intruder.leave("acme", nil))
	form := url.Values{"account": {owner.id()}, "provider": {"acme"}}
	s.inTurn(owner.id(), func() { owner.form("/auth/account/providers/disconnect", form) }, func() { intruder.callback("acme", answer) })
	if owner.whoami() != address || intruder.whoami() != "" {
		t.Errorf("the owner is signed in as %q, and the intruder as %q", owner.whoami(), intruder.whoami())
	}
}

func TestSEC488_TheAddressIsRemovedWhileARecoveryBegins(t *testing.T) {
	announce(t)
	t.Parallel()
	s := start(t)
	owner, address := s.signedIn()
	former := fresh("former")
	owner.recovers(former)
	thief, flow := s.visitor(), ""
	s.inTurn(owner.id(), func() { owner.presses("remove", former) }, func() { flow = thief.forgot(former) })
	if owner.whoami() != address {
		t.Fatalf("the owner is signed in as %q", owner.whoami())
	}
	code := lastCode(s, s.mail, former)
	if a := thief.verify(flow, code); a.status == 200 && strings.HasPrefix(a.next(), "/auth/reset-password") {
		t.Errorf("the removed address recovers the account: %s", a.body)
	}
	if thief.reset(flow, other); thief.whoami() != "" {
		t.Errorf("the thief is signed in as %q", thief.whoami())
	}
}
