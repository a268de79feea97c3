package security

import (
	"testing"
	"time"

	"portico/internal/account"
	"portico/internal/flow"
)

// comes sets an end of the account and lets its moment come. No background work runs after it.
func (s *site) comes(id string) {
	s.Helper()
	s.must(s.app.Operator.SetUserEnd(s.Context(), flow.ByOperator, id, s.clock.Now().Add(time.Second)))
	s.clock.Advance(time.Second)
}

func TestSEC387_NothingOutlivesTheEndOfAnAccount(t *testing.T) {
	announce(t)
	t.Parallel()
	s := start(t, withTV)
	address := fresh("v")
	v := s.visitor().register(address)
	s.clock.Advance(10 * time.Second)
	got, code := s.rp("token", codeForm(v.openIDCode())), v.openIDCode()
	if got.status != 200 || !s.works(got.Access) || v.whoami() != address { // the session is in the cache
		t.Fatalf("before the end: %d %s", got.status, got.body)
	}
	flowID, mailed := v.forgot(address), s.mail.code(address)
	s.comes(v.id())
	if v.whoami() != "" {
		t.Error("the session goes on")
	}
	if s.works(got.Access) {
		t.Error("the access token goes on")
	}
	s.refused("the refresh token", s.rp("token", refreshForm(got.Refresh)), "invalid_grant")
	s.refused("a code", s.rp("token", codeForm(code)), "invalid_grant")
	v.verify(flowID, mailed).refused(404, "flow.unknown")
	s.visitor().signIn(address, good).refused(403, account.CodeEnded)
	s.visitor().signIn(address, "wrong "+good).refused(401, flow.CodeSignInRejected)
}

func TestSEC388_NoAdminSetsAnEndForThemselvesOrTheLast(t *testing.T) {
	announce(t)
	t.Parallel()
	s := start(t)
	first, _ := s.admin()
	second, p := s.admin()
	ends := func(v *visitor, id string) *answer {
		body := object{"at": s.clock.Now().Add(time.Hour).Format(time.RFC3339)}
		return v.do("POST", "/auth/api/admin/people/"+id+"/ends", encode(body), v.ours("application/json"))
	}
	ends(second, second.id()).refused(409, flow.CodeAdminSelf)
	ends(second, first.id()).must(200)
	ends(first, first.id()).refused(409, flow.CodeAdminSelf)
	if a, _ := s.accountOf(first.id()); a.EndsAt.IsZero() {
		t.Error("the end was not set")
	}
	// The first admin, whose account ends, leaves the second one.
	first.do("POST", "/auth/api/admin/people/"+second.id()+"/roles", `{"take":["portico:admin"]}`, first.ours("application/json")).must(409)
	ends(first, second.id()).refused(409, flow.CodeAdminLast)
	never := func(v *visitor, id string) *answer {
		return v.do("POST", "/auth/api/admin/people/"+id+"/ends", `{"at":""}`, v.ours("application/json"))
	}
	never(first, first.id()).refused(409, flow.CodeAdminSelf)
	if err := s.app.Operator.SetUserEnd(t.Context(), flow.ByOperator, second.id(), s.clock.Now().Add(time.Hour)); err != nil {
		t.Fatal(err)
	}
	never(first, second.id()).must(200) // nobody else stays an admin, and now somebody does
	s.clock.Advance(time.Hour)
	second.proves(p)
	second.do("POST", "/auth/api/admin/people/"+second.id()+"/disable", `{}`, second.ours("application/json")).refused(409, flow.CodeAdminSelf)
	ends(first, second.id()).must(401)
}
