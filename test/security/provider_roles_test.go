package security

import (
	"fmt"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"portico/internal/account"
	"portico/internal/config"
	"portico/internal/flow"
)

// gives makes the first providers of a site give roles.
func gives(each ...[]config.RoleMapping) option {
	return func(c *config.Config) {
		c.Providers = slices.Clone(c.Providers)
		for i, roles := range each {
			c.Providers[i].Roles = roles
		}
	}
}

func staffAndAdmins() []config.RoleMapping {
	return []config.RoleMapping{{Value: "staff", Role: "staff"}, {Value: "admins", Role: flow.RoleAdmin}}
}

// of returns the account of an address.
func (s *site) of(address string) account.Account {
	s.Helper()
	a, err := s.app.Operator.User(s.Context(), address)
	if err != nil {
		s.Fatal(err)
	}
	return a
}

// has checks the roles of an account.
func (s *site) has(when, address string, want ...string) {
	s.Helper()
	if got := s.of(address).Roles; !slices.Equal(got, want) {
		s.Errorf("%s: the roles are %q, want %q", when, got, want)
	}
}

// byHand gives an account roles, or takes them, as an operator does.
func (s *site) byHand(address string, gives bool, roles ...string) {
	s.Helper()
	give, take := roles, []string(nil)
	if !gives {
		give, take = take, give
	}
	if err := s.app.Operator.ChangeUserRoles(s.Context(), flow.ByOperator, s.of(address).ID, give, take); err != nil {
		s.Fatal(err)
	}
}

// who is what a provider says about a user with groups.
func (p *idp) who(address string, groups ...string) *idp {
	return p.says(object{"sub": address, "email": address, "email_verified": true, "groups": groups, "auth_time": p.site.clock.Now().Unix()})
}

func (v *visitor) through(p *idp) string {
	v.Helper()
	return v.callback(p.id, p.approve(v.leave(p.id, nil))).must(303).header.Get("Location")
}

func TestSEC396_AProviderGivesAndTakesItsRolesAlone(t *testing.T) {
	announce(t)
	t.Parallel()
	p, q := newIDP(t), newIDP(t)
	s := start(t, p.at("acme", true), q.at("corp", true), gives(staffAndAdmins(), []config.RoleMapping{{Value: "all", Role: "staff"}}))
	p.site, q.site = s, s
	mara := fresh("mara")
	enter := func(from *idp, groups ...string) *visitor {
		t.Helper()
		from.who(mara, groups...)
		v := s.visitor()
		v.through(from)
		if v.whoami() != mara {
			t.Fatal("the provider does not sign in")
		}
		return v
	}
	v := enter(p, "staff", "unknown", "portico:admin", "role:portico:admin")
	s.has("a new account", mara, "staff")
	s.byHand(mara, true, "editor")
	enter(p)
	s.has("without the group", mara, "editor")
	var current struct{ User struct{ Roles []string } }
	v.get("/auth/api/session").must(200).parse(&current)
	if !slices.Equal(current.User.Roles, []string{"editor"}) {
		t.Errorf("a session that was open has the roles %q", current.User.Roles)
	}
	enter(p, "staff")
	s.has("with the group again", mara, "editor", "staff")
	s.byHand(mara, true, "staff")
	enter(p)
	s.has("without the group, after an operator has given the role too", mara, "editor", "staff")
	s.byHand(mara, false, "staff", "editor")
	enter(p, "staff")
	s.has("with the group, after an operator has taken the role", mara, "staff")

	// Two providers give the same role: it stays until neither does.
	q.who(mara, "all")
	joining := enter(p, "staff")
	form := url.Values{"account": {joining.id()}, "provider": {"corp"}}
	joining.callback("corp", q.approve(leaving(joining.form("/auth/account/providers/connect", form).must(200)))).must(303)
	enter(p)
	s.has("while the other provider gives it", mara, "staff")
	enter(q)
	s.has("when neither gives it", mara)

	// The identity goes, and the mapping goes.
	enter(p, "staff")
	enter(q)
	if err := s.app.Operator.UnlinkUser(s.Context(), flow.ByOperator, s.of(mara).ID, "acme"); err != nil {
		t.Fatal(err)
	}
	s.has("after the identity was removed", mara)
	enter(q, "all")
	s.follows(gives(nil, nil))
	s.has("after the mapping was removed", mara, "staff")
	enter(q, "all")
	s.has("at the next sign-in after that", mara)

	// An account has 32 roles at most. The record tells of those that are left out.
	var many []config.RoleMapping
	var groups []string
	for n := range 40 {
		groups = append(groups, fmt.Sprint("g", n))
		many = append(many, config.RoleMapping{Value: groups[n], Role: groups[n]})
	}
	s.follows(gives(nil, many))
	enter(q, groups...)
	if n := s.count(`SELECT COUNT(*) FROM audit WHERE name = 'roles_changed' AND detail LIKE '%,8 more'`); n != 1 || len(s.of(mara).Roles) != 32 {
		t.Errorf("the account has %d roles, and %d records tell of those that are missing", len(s.of(mara).Roles), n)
	}

	if n := s.count(`SELECT COUNT(*) FROM audit WHERE name = 'roles_changed' AND actor = 'provider:corp'`); n < 2 {
		t.Errorf("the record has %d changes by the provider", n)
	}
	if n := s.count(`SELECT COUNT(*) FROM audit WHERE name = 'roles_changed' AND actor = 'self'`); n != 0 {
		t.Errorf("the record has %d changes by the user", n)
	}
}

// A sign-in with a role that needs a second factor has no session before the factor.
func TestSEC396_ANewRoleAsksForASecondFactor(t *testing.T) {
	announce(t)
	t.Parallel()
	p := newIDP(t)
	s := start(t, p.at("acme", true), gives(staffAndAdmins()), func(c *config.Config) { c.MFA.Require = []string{"role:" + flow.RoleAdmin} })
	p.site = s
	mara := fresh("mara")
	v := s.visitor()
	p.who(mara)
	v.through(p)
	p.who(mara, "admins")
	w := s.visitor()
	if to := w.through(p); !strings.HasPrefix(to, "/auth/protect?flow=") || w.whoami() != "" {
		t.Errorf("the new admin is signed in and goes to %s", to)
	}
	s.has("before the sign-in is complete", mara)
	if to := s.visitor().through(p.who(fresh("noah"), "admins")); !strings.HasPrefix(to, "/auth/protect?flow=") {
		t.Errorf("the admin of a new account goes to %s", to)
	}
}

func TestSEC397_AnOlderSignInGivesNoRole(t *testing.T) {
	announce(t)
	t.Parallel()
	p := newIDP(t)
	s := start(t, p.at("acme", true), gives(staffAndAdmins()))
	p.site = s
	mara := fresh("mara")
	p.who(mara)
	v := s.visitor()
	v.through(p)
	phone := v.enrol()
	waits := func(groups ...string) (*visitor, string) {
		t.Helper()
		p.who(mara, groups...)
		w := s.visitor()
		_, id, ok := strings.Cut(w.through(p), "/auth/mfa?flow=")
		if !ok {
			t.Fatal("the second factor is not asked for")
		}
		s.clock.Advance(time.Minute)
		return w, id
	}
	// Two sign-ins: the one that began first ends last.
	first, one := waits("staff")
	s.has("before the second factor", mara)
	second, two := waits()
	second.give(two, phone.code()).must(200)
	s.clock.Advance(time.Minute)
	first.give(one, phone.code()).must(200)
	if first.whoami() != mara {
		t.Error("the older sign-in fails")
	}
	s.has("after both", mara)

	// An operator takes a role while a sign-in waits that would give it again.
	s.byHand(mara, true, "staff", "editor")
	w, id := waits("staff")
	s.byHand(mara, false, "staff")
	s.clock.Advance(time.Minute)
	w.give(id, phone.code()).must(200)
	s.has("after an operator has taken it", mara, "editor")

	// At once: what is stored is the answer of one of them, and no sign-in fails.
	q := fresh("q")
	p.who(q)
	s.visitor().through(p)
	requests := make([]*visitor, 6)
	var all sync.WaitGroup
	for i := range requests {
		requests[i] = s.visitor()
		callback := requests[i].leave("acme", nil)
		p.who(q, []string{"staff", "x"}[i%2])
		approved := p.approve(callback)
		all.Go(func() { requests[i].callback("acme", approved) })
	}
	all.Wait()
	if roles := s.of(q).Roles; len(roles) > 1 || len(roles) == 1 && roles[0] != "staff" {
		t.Errorf("the roles are %q", roles)
	}
	if n := s.count(`SELECT COUNT(*) FROM identity i JOIN account a ON a.id = i.account_id WHERE i.roles <> a.roles AND i.subject LIKE 'q%'`); n != 0 {
		t.Error("the account has other roles than its only identity gives")
	}
}

// A provider that takes the role from the last admin, or from both at the same moment, leaves one.
func TestSEC398_AProviderLeavesTheLastAdmin(t *testing.T) {
	announce(t)
	t.Parallel()
	p := newIDP(t)
	s := start(t, p.at("acme", true), gives(staffAndAdmins()))
	p.site = s
	type admin struct {
		*phone
		address string
	}
	enter := func(a admin, groups ...string) {
		p.who(a.address, groups...)
		v := s.visitor()
		if _, id, ok := strings.Cut(v.through(p), "/auth/mfa?flow="); ok {
			s.clock.Advance(time.Minute)
			v.give(id, a.phone.code())
		}
		if v.whoami() != a.address {
			t.Errorf("%s is not signed in", a.address)
		}
	}
	makes := func(name string) admin {
		a := admin{address: fresh(name)}
		p.who(a.address, "admins", "staff")
		v := s.visitor()
		v.through(p)
		a.phone = v.enrol()
		return a
	}
	mara := makes("mara")
	enter(mara)
	s.has("the last admin", mara.address, flow.RoleAdmin)
	noah := makes("noah")
	enter(mara)
	s.has("with another admin", mara.address)
	enter(noah)
	s.has("who is the last one now", noah.address, flow.RoleAdmin)
	if err := s.app.Operator.UnlinkUser(s.Context(), flow.ByOperator, s.of(noah.address).ID, "acme"); err != nil {
		t.Fatal(err)
	}
	s.has("without the identity", noah.address, flow.RoleAdmin)

	for range 4 {
		pair := []admin{makes("ada"), makes("eve")}
		s.byHand(noah.address, false, flow.RoleAdmin)
		var both sync.WaitGroup
		visitors, flows := make([]*visitor, 2), make([]string, 2)
		for i, a := range pair {
			p.who(a.address)
			visitors[i] = s.visitor()
			_, flows[i], _ = strings.Cut(visitors[i].through(p), "/auth/mfa?flow=")
		}
		s.clock.Advance(time.Minute)
		for i, a := range pair {
			code := a.phone.code()
			both.Go(func() { visitors[i].give(flows[i], code) })
		}
		both.Wait()
		left := 0
		for _, a := range pair {
			if slices.Contains(s.of(a.address).Roles, flow.RoleAdmin) {
				left++
			}
		}
		if left != 1 {
			t.Errorf("%d of two admins are left", left)
		}
		s.byHand(noah.address, true, flow.RoleAdmin)
		for _, a := range pair {
			s.byHand(a.address, false, flow.RoleAdmin)
		}
	}
}

// A role that a sign-in brings asks for the factor before the account has it, whether it is brought by an identity of
// the account or by one that is joined.
func TestSEC440_NoRoleWithoutItsFactor(t *testing.T) {
	announce(t)
	t.Parallel()
	p := newIDP(t)
	s := start(t, p.at("acme", true), gives(staffAndAdmins()), requiring(0, "role:staff"))
	p.site = s
	for how, enters := range map[string]func(v *visitor, address string) (next string){
		"joined": func(v *visitor, address string) string {
			s.operator(address, good)
			p.who(address, "staff")
			flow := joinFlow(t, v.through(p))
			return v.post("signin", object{"email": address, "password": good, "flow": flow}).must(200).next()
		},
		"connected": func(v *visitor, address string) string {
			p.who(address)
			v.through(p)
			if v.whoami() != address {
				t.Fatal("not signed up")
			}
			p.who(address, "staff")
			return v.without("session").through(p)
		},
	} {
		t.Run(how, func(t *testing.T) {
			v, address := s.visitor(), fresh("mara")
			next := enters(v, address)
			flow, asked := strings.CutPrefix(next, "/auth/protect?flow=")
			if !asked {
				t.Fatalf("sent to %s, as %q", next, v.whoami())
			}
			v.post("protect/later", object{"flow": flow}).refused(409, "flow.conflict")
			s.has("while the factor is asked for", address)
			v.post("protect", object{"flow": flow, "code": v.secretOf(flow).At(s.clock.Now())}).must(200)
			if v.whoami() != address {
				t.Errorf("with a factor, signed in as %q", v.whoami())
			}
			s.has("with a factor", address, "staff")
		})
	}
}
