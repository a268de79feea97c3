package security

import (
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"portico/internal/account"
	"portico/internal/flow"
)

// trusting returns a signed-in browser that the account trusts.
func (p *phone) trusting() *visitor {
	p.Helper()
	v, flow := p.pending()
	v.post("mfa", object{"flow": flow, "code": p.code(), "trust": "yes"}).must(200)
	p.clock.Advance(time.Minute)
	if v.cookie("trust") == "" || v.whoami() != p.address {
		p.Fatal("the browser is not trusted")
	}
	return v
}

// enters signs out, and reports whether the password alone signs in again.
func (v *visitor) enters(address, password string) bool {
	v.Helper()
	v.post("signout", object{}).must(200)
	v.signIn(address, password).must(200)
	return v.whoami() == address
}

func TestSEC290_TrustCountsForItsBrowserAndAccount(t *testing.T) {
	announce(t)
	t.Parallel()
	s := start(t)
	_, p := s.protected()
	_, other := s.protected()
	v := p.trusting()
	if !v.enters(p.address, good) {
		t.Fatal("a trusted browser is asked for a code")
	}
	stolen := v.cookie("trust")
	thief := s.visitor()
	for name, cookie := range map[string]string{
		"no cookie": "", "half a cookie": stolen[:20], "another case": strings.ToUpper(stolen), "two cookies in one": stolen[1:] + "." + stolen[:1],
	} {
		thief.cookies[thief.cookieName("trust")] = cookie
		if thief.enters(p.address, good) {
			t.Errorf("%s signs in", name)
		}
	}
	thief.cookies[thief.cookieName("trust")] = stolen
	if thief.enters(other.address, good) {
		t.Error("the trust of one account counts for another")
	}
	thief.signIn(p.address, other.address).refused(401, "signin.rejected")
	s.clock.Advance(30 * 24 * time.Hour)
	if v.signIn(p.address, good).must(200); v.whoami() != "" {
		t.Error("the trust outlives 30 days")
	}

	// An email proves the mailbox only, however much the browser is trusted.
	v = p.trusting()
	v.post("signout", object{}).must(200)
	flow := v.forgot(p.address)
	v.verify(flow, lastEmail(s, s.mail, p.address).code(t)).must(200)
	v.reset(flow, other.secret.Text()).must(200)
	if v.whoami() != "" {
		t.Error("a reset signs in to a trusted browser")
	}
}

func TestSEC291_TrustEndsWithCredentials(t *testing.T) {
	announce(t)
	t.Parallel()
	s := start(t)
	_, p := s.protected()
	operator := s.app.Operator
	for name, change := range map[string]func(v *visitor, a account.Account){
		"a press": func(v *visitor, a account.Account) {
			v.form("/auth/account/browsers", url.Values{"account": {a.ID}}).must(303)
		},
		"a press of another visitor": nil,
		"a second app":               func(v *visitor, _ account.Account) { v.enrol() },
		"an app that was removed again": func(v *visitor, _ account.Account) {
			const page = "/auth/account/factors"
			former := v.shown(page).List
			v.enrol()
			for _, each := range v.shown(page).List {
				if !slices.Contains(former, each) {
					v.post("factors/remove", object{"account": v.id(), "id": each.ID}).must(200)
				}
			}
		},
		"an operator": func(_ *visitor, a account.Account) {
			if n, err := operator.EndUserTrust(t.Context(), flow.ByOperator, a.ID); err != nil || n == 0 {
				t.Errorf("%d ended: %v", n, err)
			}
		},
		"a password by the operator": func(_ *visitor, a account.Account) {
			if err := operator.SetUserPassword(t.Context(), flow.ByOperator, a, good); err != nil {
				t.Error(err)
			}
		},
	} {
		v := p.trusting()
		a, err := operator.User(t.Context(), p.address)
		if err != nil {
			t.Fatal(err)
		}
		if change == nil {
			s.visitor().register(fresh("w")).form("/auth/account/browsers", url.Values{"account": {a.ID}}).must(409)
		} else {
			v.post("mfa", object{"code": p.code()}).must(200)
			p.clock.Advance(time.Minute)
			change(v, a)
		}
		v.post("signout", object{}).must(200)
		v.signIn(p.address, good).must(200)
		if ended := v.whoami() == ""; ended != (change != nil) {
			t.Errorf("after %s, the trust has ended: %v", name, ended)
		}
	}
}

func TestSEC292_TrustIsNoSecondFactor(t *testing.T) {
	announce(t)
	t.Parallel()
	s := start(t, protects(newApp(t, tempers()["raw"]), "mfa /vault/*", "signed-in /*"))
	_, p := s.protected()
	v := p.trusting()
	if !v.enters(p.address, good) {
		t.Fatal("a trusted browser is asked for a code")
	}
	if a := v.get("/vault/x"); a.status != 303 || a.header.Get("Location") != "/auth/mfa?return_to=%2Fvault%2Fx" {
		t.Errorf("the rule mfa gives status %d to %q", a.status, a.header.Get("Location"))
	}
	v.get("/x").must(200)
	v.post("factors/add", object{"account": v.id()}).refused(401, "proof.needed")
	v.post("factors/codes", object{"account": v.id()}).refused(401, "proof.needed")
	v.post("account/password", object{"account": v.id(), "password": other, "confirm_password": other}).refused(401, "proof.needed")
	var current struct{ Session struct{ Methods []string } }
	v.get("/auth/api/session").must(200).parse(&current)
	if len(current.Session.Methods) != 1 || current.Session.Methods[0] != "password" {
		t.Errorf("apps are told %v", current.Session.Methods)
	}
	// The way out of the refusal asks for the code, also by a new sign-in.
	if next := v.signIn(p.address, good).must(200).next(); !strings.HasPrefix(next, "/auth/mfa?flow=") {
		t.Errorf("a new sign-in in the trusted browser leads to %s", next)
	}
}
