package security

import (
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"portico/internal/account"
	"portico/internal/code"
	"portico/internal/config"
	"portico/internal/flow"
	"portico/internal/server/form"
)

func domains(c *config.Config) { c.SignUp.Domains = []string{"corp.example"} }

// firstLink returns the token of the link that a start on an empty database prints, or "".
func (s *site) firstLink() string {
	s.Helper()
	link, _, err := s.app.Operator.FirstLink(s.Context())
	if err != nil {
		s.Fatal(err)
	}
	u, err := url.Parse(link)
	if err != nil {
		s.Fatal(err)
	}
	return u.Query().Get("token")
}

// people returns how many accounts there are.
func (s *site) people() int { return s.count(`SELECT COUNT(*) FROM account`) }

// Whatever the settings say of sign-ups, the link for the first admin makes one account: of two nodes that start at once
// at most one has a valid link, and of 20 browsers that use it one gets in.
func TestSEC422_TheFirstAdminIsOne(t *testing.T) {
	announce(t)
	t.Parallel()
	for _, m := range []flow.SignUpMode{flow.ModeClosed, flow.ModeInvited, flow.ModeApproved, flow.ModeOpen} {
		s := start(t, mode(m), domains)
		var all sync.WaitGroup
		tokens := make([]string, 6)
		for i := range tokens {
			all.Go(func() { tokens[i] = s.firstLink() })
		}
		all.Wait()
		var valid []string
		for _, token := range tokens {
			if v, err := s.app.Flows.ViewLink(t.Context(), flow.Caller{}, token); token != "" && err == nil && v.Fault == nil {
				valid = append(valid, token)
			}
		}
		if len(valid) != 1 {
			t.Fatalf("%s: %d links are valid", m, len(valid))
		}
		made, visitors := make(chan *visitor, 20), make([]*visitor, 20)
		for i := range visitors {
			visitors[i] = s.visitor()
			v := visitors[i]
			if to := v.open(valid[0]).must(303).header.Get("Location"); v.get(to).status != 200 {
				t.Fatalf("%s: the link leads to %s", m, to)
			}
		}
		for _, v := range visitors {
			address := fresh("mara")
			all.Go(func() {
				if v.accept(valid[0], address).status == 200 {
					made <- v
				}
			})
		}
		all.Wait()
		if len(made) != 1 || s.people() != 1 {
			t.Fatalf("%s: %d browsers got in, and there are %d accounts", m, len(made), s.people())
		}
		if roles := s.of((<-made).whoami()).Roles; len(roles) != 1 || roles[0] != flow.RoleAdmin {
			t.Errorf("%s: the roles are %q", m, roles)
		}
		if token := s.firstLink(); token != "" {
			t.Errorf("%s: there is a link, although there is an account", m)
		}
	}
}

// The link ends after 15 minutes, with the next start, and with the first account of anybody else. A press for another email
// makes none, and in the browser of the link another sign-up is what it is without it.
func TestSEC423_TheLinkForTheFirstAdminEnds(t *testing.T) {
	announce(t)
	t.Parallel()
	for what, ends := range map[string]func(s *site){
		"15 minutes":    func(s *site) { s.clock.Advance(code.HandedLife) },
		"another start": func(s *site) { s.firstLink() },
		"a command":     func(s *site) { s.operator(fresh("kim"), good) },
		"a sign-up":     func(s *site) { s.follows(mode(flow.ModeOpen)); s.visitor().register(fresh("kim")) },
		"an account that is closed": func(s *site) {
			s.must(s.app.Operator.SetUserState(t.Context(), flow.ByOperator, s.operator(fresh("kim"), good).ID, account.DisabledByOperator))
		},
	} {
		s := start(t, mode(flow.ModeClosed))
		token, v := s.firstLink(), s.visitor()
		v.open(token).must(303)
		v.post("signup", object{"email": fresh("mara"), "password": good, "confirm_password": good}).refused(403, "signup.closed")
		if page := v.form("/auth/signup", url.Values{"email": {fresh("mara")}, "password": {good}, "confirm_password": {good}}).must(403); !strings.Contains(page.body, `{"screen":"error"`) {
			t.Errorf("without the link, a form is answered with %s", page.body)
		}
		s.clock.Advance(time.Second)
		ends(s)
		before := s.people()
		if page := v.open(token); page.status != 403 || !strings.Contains(page.body, "A newer start of the server printed another one") {
			t.Errorf("after %s, the link answers %d with %s", what, page.status, page.body)
		}
		v.accept(token, fresh("mara")).must(403)
		v.form("/auth/confirm-link/resend", nil)
		if after := s.people(); after != before || v.whoami() != "" {
			t.Errorf("after %s, there are %d accounts in place of %d", what, after, before)
		}
		if n := s.count(`SELECT COUNT(*) FROM invitation WHERE state = 'open' AND most > 1`); n != 0 {
			t.Errorf("after %s, there are other links", what)
		}
	}
}

// The page of the link has the buttons of the providers too. The operator vouches for the address, whoever tells it.
func TestSEC422_TheFirstAdminComesFromAProvider(t *testing.T) {
	announce(t)
	t.Parallel()
	s, p := startWithIDP(t, false, mode(flow.ModeClosed), domains)
	token, v, mara := s.firstLink(), s.visitor(), fresh("mara")
	v.open(token).must(303)
	p.says(object{"sub": mara, "email": mara, "email_verified": false})
	through := func(v *visitor, link string) {
		v.callback("acme", p.approve(v.leave("acme", url.Values{"link": {link}})))
	}
	if through(v, ""); v.whoami() != "" || s.people() != 0 {
		t.Error("without the link, there is an account")
	}
	if through(v, form.LinkMark(token)); v.whoami() != mara {
		t.Fatalf("with the link, signed in as %q", v.whoami())
	}
	s.has("the first account", mara, flow.RoleAdmin)
}
