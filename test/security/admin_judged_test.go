package security

import (
	"errors"
	"sync"
	"testing"
	"time"

	"portico/internal/account"
	"portico/internal/fault"
	"portico/internal/flow"
)

// An admin's request has begun: its session was read and may be in the cache. What changes
// before the transaction of its change counts all the same.
func TestSEC376_AdminIsJudgedAgain(t *testing.T) {
	announce(t)
	t.Parallel()
	s := start(t)
	target := s.operator(fresh("t"), good)
	ctx := t.Context()
	for what, change := range map[string]func(v *visitor, id string){
		"nothing":            func(*visitor, string) {},
		"the session ended":  func(v *visitor, _ string) { v.post("signout", object{}).must(200) },
		"the role was taken": func(v *visitor, _ string) { s.roles(v.whoami()) },
		"the account is closed": func(_ *visitor, id string) {
			s.must(s.app.Operator.SetUserState(ctx, flow.ByOperator, id, account.DisabledByOperator))
		},
		"the address moved": func(_ *visitor, id string) {
			s.must(s.app.Operator.SetUserAddress(ctx, flow.ByOperator, id, fresh("n")))
		},
		"the proof aged": func(*visitor, string) { s.clock.Advance(10 * time.Minute) },
		"the factor is gone": func(_ *visitor, id string) {
			_, err := s.app.Operator.ResetFactors(ctx, flow.ByOperator, id)
			s.must(err)
		},
	} {
		admin, _ := s.admin()
		id := admin.id()
		found, err := s.app.Flows.Session(ctx, admin.cookie("session"))
		if err != nil {
			t.Fatal(err)
		}
		change(admin, id)
		err = s.app.Operator.SetUserRoles(ctx, flow.ByAdmin(flow.Caller{}, found), target.ID, []string{"given"})
		now, _ := s.accountOf(target.ID)
		if what == "nothing" {
			if err != nil || len(now.Roles) != 1 {
				t.Errorf("an admin cannot give a role: %v, %v", err, now.Roles)
			}
			s.roles(target.Address.Mail)
			continue
		}
		if err == nil || len(now.Roles) > 0 || fault.From(err).Kind == fault.Internal && !errors.Is(err, flow.ErrNotAdmin) {
			t.Errorf("%s, and the admin gives a role: %v, %v", what, err, now.Roles)
		}
	}
}

// accountOf returns an account as it is stored.
func (s *site) accountOf(id string) (account.Account, bool) {
	s.Helper()
	p, err := s.app.Operator.Person(s.Context(), id)
	if err != nil {
		return account.Account{}, false
	}
	return p.Account, true
}

func (s *site) must(err error) {
	s.Helper()
	if err != nil {
		s.Fatal(err)
	}
}

// Two admins who remove each other at the same moment leave one of them, whatever the way.
func TestSEC377_OneAdminRemains(t *testing.T) {
	announce(t)
	t.Parallel()
	s := start(t)
	ways := map[string]object{
		"roles": {"take": []string{flow.RoleAdmin}}, "disable": {},
	}
	for way, body := range ways {
		for range 4 {
			first, _ := s.admin()
			second, _ := s.admin()
			pair := []*visitor{first, second}
			names := []string{first.id(), second.id()}
			var all sync.WaitGroup
			for i, v := range pair {
				all.Go(func() {
					_, _ = v.try("POST", "/auth/api/admin/people/"+names[1-i]+"/"+way, encode(body), v.ours("application/json"))
				})
			}
			all.Wait()
			left := 0
			for _, id := range names {
				if a, ok := s.accountOf(id); ok && a.State == account.Active && len(a.Roles) == 1 {
					left++
				}
			}
			if left != 1 {
				t.Errorf("%s: %d of two admins who remove each other remain", way, left)
			}
			s.roles(s.addressOf(names[0]))
			s.roles(s.addressOf(names[1]))
		}
	}
	// None removes themselves, and the admin stays one.
	alone, _ := s.admin()
	for way, body := range ways {
		alone.do("POST", "/auth/api/admin/people/"+alone.id()+"/"+way, encode(body), alone.ours("application/json")).refused(409, flow.CodeAdminSelf)
	}
	alone.do("POST", "/auth/api/admin/people/"+alone.id()+"/roles", `{"give":["editor"]}`, alone.ours("application/json")).must(200)
	alone.do("GET", "/auth/api/admin/people", "", nil).must(200)
}

func (s *site) addressOf(id string) string {
	s.Helper()
	a, _ := s.accountOf(id)
	return a.Address.Mail
}
