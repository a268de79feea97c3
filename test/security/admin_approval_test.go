package security

import (
	"slices"
	"strings"
	"testing"
	"time"

	"portico/internal/account"
	"portico/internal/apikey"
	"portico/internal/flow"
	"portico/internal/store"
)

// An account that waits ends to wait by a recorded approval, or by its end. Whoever approves it, and
// wherever, the record and the email are the same.
func TestSEC402_OneWayToApprove(t *testing.T) {
	announce(t)
	t.Parallel()
	s := start(t)
	admin, phone := s.admin()
	s.follows(mode(flow.ModeApproved))
	_, secret := s.key(admin.id(), apikey.Scopes()...)
	const person = "POST /auth/api/admin/people/{id}/"
	operator, ctx := s.app.Operator, t.Context()
	job := func(action string) func(string) {
		return func(id string) { admin.bulk(object{"action": action, "people": []string{id}}).must(200); s.jobsEnd() }
	}
	for way, approve := range map[string]func(id string){
		"the page":    func(id string) { admin.calls(person+"enable", id).must(200) },
		"a job":       job("enable"),
		"a key":       func(id string) { s.keyed(secret, person+"enable", id).must(200) },
		"the command": func(id string) { s.must(operator.ApproveUser(ctx, flow.ByOperator, id)) },
		"enabling by a command, while it is to be erased": func(id string) {
			admin.calls(person+"delete", id).must(200)
			s.must(operator.SetUserState(ctx, flow.ByOperator, id, account.Active))
		},
	} {
		address := fresh("mara")
		v := s.visitor().register(address)
		id := s.of(address).ID
		waits := func(after string) {
			t.Helper()
			if state := s.of(address).State; state != account.Waiting {
				t.Errorf("after %s, the account is %s", after, state)
			}
		}
		admin.calls(person+"disable", id).refused(409, "approval.undecided")
		s.keyed(secret, person+"disable", id).refused(409, "approval.undecided")
		job("disable")(id)
		waits("an attempt to disable it")
		s.must(operator.SetUserEnd(ctx, flow.ByOperator, id, s.clock.Now().Add(time.Minute)))
		s.clock.Advance(2 * time.Minute)
		s.must(s.app.Store.Write(ctx, func(tx *store.Tx) error { return operator.CloseEnded(ctx, tx, id) }))
		waits("its end")
		admin.proves(phone)
		approve(id)
		if v.signIn(address, good).must(200); v.whoami() != address {
			t.Errorf("by %s: nobody is signed in", way)
		}
		names := s.strings(s.database(), `SELECT name FROM audit WHERE account_id = '`+id+`' AND name LIKE 'account_%'`)
		if !slices.Contains(names, "account_approved") || slices.Contains(names, "account_enabled") {
			t.Errorf("by %s: the record has %s", way, strings.Join(names, ", "))
		}
		s.must(operator.SetUserState(ctx, flow.ByOperator, id, account.DisabledByOperator))
		admin.calls(person+"refuse", id).refused(409, "approval.not_waiting")
	}
}

// Strangers sign up as often as they like: each admin gets one email an hour.
func TestSEC419_AdminsAreNotFlooded(t *testing.T) {
	announce(t)
	t.Parallel()
	s := start(t)
	s.admin()
	s.follows(mode(flow.ModeApproved))
	posted := func(want int, when string) {
		t.Helper()
		s.must(s.app.Store.Write(t.Context(), func(tx *store.Tx) error { return s.app.Operator.TellOfApplicants(t.Context(), tx) }))
		if n := s.count(`SELECT COUNT(*) FROM email_outcome WHERE template = 'approvals-asked'`); n != want {
			t.Errorf("%s: %d emails, want %d", when, n, want)
		}
	}
	for range 3 {
		s.visitor().register(fresh("a"))
		posted(1, "in an hour")
	}
	s.clock.Advance(time.Hour)
	posted(2, "in the next hour")
	s.clock.Advance(24 * time.Hour)
	posted(2, "when nobody is new")
}
