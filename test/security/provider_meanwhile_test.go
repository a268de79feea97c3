package security

import (
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"portico/internal/config"
)

func TestSEC482_WhatAProviderSaidBeforeAReload(t *testing.T) {
	announce(t)
	t.Parallel()
	p := newIDP(t)
	behind := newApp(t, func(*http.Request) string { return "the app" })
	s := start(t, p.at("acme", true), gives(staffAndAdmins()), withTerms("1"), protects(behind, "mfa /*"))
	p.site = s
	believes := func(amr ...string) option {
		return func(c *config.Config) {
			c.Providers = slices.Clone(c.Providers)
			c.Providers[0].MFAAMR = amr
		}
	}
	// A role of a new account and of one that was there, which wait for the terms.
	sees := func(v *visitor, address string) (flow string) {
		t.Helper()
		p.says(object{
			"sub": address, "email": address, "email_verified": true, "groups": []string{"staff", "admins"},
			"auth_time": s.clock.Now().Unix(), "amr": []string{"mfa"},
		})
		_, flow, ok := strings.Cut(v.through(p), "/auth/terms?flow=")
		if !ok {
			t.Fatal("the terms are not asked for")
		}
		return flow
	}
	s.visitor().get("/auth/signin").must(200) // it serves
	for n, version := range []string{"1", "2"} {
		address, v := fresh("mara"), s.visitor()
		if version == "2" { // the account is there
			s.follows(gives(nil), believes())
			w := s.visitor()
			w.post("terms", object{"flow": sees(w, address), "terms": "1"}).must(200)
			s.follows(withTerms("2"))
		}
		s.follows(gives(staffAndAdmins()), believes("mfa"))
		flow := sees(v, address)
		s.follows(gives(staffAndAdmins()[:1]), believes())
		v.post("terms", object{"flow": flow, "terms": version}).must(200)
		s.has("account "+[]string{"new", "known"}[n], address, "staff")
		if a := v.get("/page"); a.status == 200 {
			t.Errorf("the second factor counts, of which the provider is not believed anymore")
		}
	}
}

func TestSEC483_AnotherProviderUnderTheSameID(t *testing.T) {
	announce(t)
	t.Parallel()
	p, q := newIDP(t), newIDP(t)
	s := start(t, p.at("acme", true), withTerms("1"))
	p.site, q.site = s, s
	p.metadata = object{"authorization_response_iss_parameter_supported": false}
	q.metadata = p.metadata
	begins := func(v *visitor, address string) (flow string) {
		_, flow, _ = strings.Cut(v.through(p.who(address)), "/auth/terms?flow=")
		return flow
	}
	first, theirs := s.visitor(), fresh("theirs")
	first.post("terms", object{"flow": begins(first, theirs), "terms": "1"}).must(200)
	s.follows(withTerms("2"))
	known, mine := s.visitor(), fresh("mine")
	waits := begins(known, theirs)
	newcomer := s.visitor()
	comes := begins(newcomer, mine)
	leaves := s.visitor()
	request := leaves.leave("acme", nil)
	s.follows(func(c *config.Config) {
		c.Providers = slices.Clone(c.Providers)
		c.Providers[0].Issuer = q.server.URL
	})
	for what, at := range map[string]struct {
		*visitor
		flow string
	}{"a sign-in": {known, waits}, "a sign-up": {newcomer, comes}} {
		if a := at.post("terms", object{"flow": at.flow, "terms": "2"}); a.status == 200 || at.whoami() != "" {
			t.Errorf("%s that waits: %d, signed in as %q", what, a.status, at.whoami())
		}
	}
	answer := p.approve(request)
	answer.Del("iss")
	leaves.callback("acme", answer)
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.posted != nil {
		t.Errorf("the new provider gets what belongs to the former one: %v", url.Values{"code": q.posted["code"], "code_verifier": q.posted["code_verifier"]})
	}
}

// The mailbox is proven or the terms are accepted after the provider has gone, whose identity waits for that. The sign-up is
// over, and its page says so, whatever was pressed. In another browser, the link begins without the identity.
func TestSEC483_TheProviderHasGone(t *testing.T) {
	announce(t)
	t.Parallel()
	p := newIDP(t)
	s := start(t, p.at("acme", false))
	p.site = s
	there := s.config
	for _, press := range []string{"code", "link", "another code", "another link", "terms"} {
		if press == "terms" {
			s.follows(withTerms("1"))
		}
		address, v := fresh("mara"), s.visitor()
		page := v.through(p.who(address))
		_, flow, ok := strings.Cut(page, "/auth/verify-code?flow=")
		if !ok {
			t.Fatal("the mailbox is not asked for")
		}
		mail := s.mail.next(address)
		if press == "terms" {
			flow = v.verify(flow, mail.code(t)).must(200).flow()
			page = "/auth/terms?flow=" + flow
		}
		s.follows(func(c *config.Config) { c.Providers = nil })
		s.clock.Advance(time.Minute)
		switch press {
		case "code":
			v.verify(flow, mail.code(t)).refused(404, "flow.unknown")
		case "link":
			v.open(mail.token(t))
			v.post("confirm-link", object{}).refused(404, "flow.unknown")
		case "another code":
			v.post("resend", object{"flow": flow}).refused(404, "flow.unknown")
		case "another link":
			s.clock.Advance(10 * time.Minute)
			v.open(mail.token(t))
			v.form("/auth/confirm-link/resend", nil).must(303)
			w := s.visitor()
			w.open(mail.token(t))
			w.form("/auth/confirm-link/resend", nil).must(303)
			s.mail.next(address)
		case "terms":
			v.post("terms", object{"flow": flow, "terms": "1"}).refused(404, "flow.unknown")
		}
		b := v.get(page).must(404).boot()
		if b.Title != "Sign-up has changed" || b.Next != "/auth/signup?flow="+flow {
			t.Errorf("after %s, the page says %q, and leads to %s", press, b.Title, b.Next)
		}
		if typed := v.get(b.Next).must(200).boot().Values.Email; typed != address {
			t.Errorf("after %s, the form has the address %q", press, typed)
		}
		if v.whoami() != "" {
			t.Errorf("%q is signed in", v.whoami())
		}
		s.config = there
		s.follows()
	}
}

// The same provider under another id signs in as before.
func TestSEC483_TheSameProviderUnderAnotherID(t *testing.T) {
	announce(t)
	t.Parallel()
	p := newIDP(t)
	s := start(t, p.at("acme", true))
	p.site = s
	address, first := fresh("mara"), s.visitor()
	first.through(p.who(address))
	phone := first.enrol()
	p.id = "corp"
	s.follows(func(c *config.Config) {
		c.Providers = slices.Clone(c.Providers)
		c.Providers[0].ID = p.id
	})
	v := s.visitor()
	_, flow, ok := strings.Cut(v.through(p.who(address)), "/auth/mfa?flow=")
	if !ok {
		t.Fatal("the second factor is not asked for")
	}
	s.clock.Advance(time.Minute)
	if v.give(flow, phone.code()).must(200); v.whoami() != address {
		t.Errorf("signed in as %q", v.whoami())
	}
}
