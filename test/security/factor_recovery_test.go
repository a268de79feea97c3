package security

import (
	"net/url"
	"strings"
	"testing"

	"portico/internal/config"
)

// linked joins the provider to the account of a visitor and removes its password.
func (v *visitor) linked(p *idp, password string, proves func(flow string)) {
	v.Helper()
	address := v.whoami()
	next := v.continueWith(p.says(object{"sub": fresh("s"), "email": address, "email_verified": true}))
	a := v.post("signin", object{"email": address, "password": password, "flow": joinFlow(v.T, next)}).must(200)
	if proves != nil {
		proves(a.flow())
	}
	v.post("account/password/remove", object{"account": v.id()}).must(200)
}

// mailedCodes returns how many codes a recovery mails to the visitor.
func (v *visitor) mailedCodes() (count int) {
	v.Helper()
	address := v.whoami()
	v.settle()
	before := len(v.mail.to(address))
	v.visitor().forgot(address)
	v.settle()
	for _, m := range v.mail.to(address)[before:] {
		if m.code(v.T) != "" {
			count++
		}
	}
	return count
}

// A mailbox sets the first password of an account only if nothing else of it can give a
// new proof. A second factor is asked for in its place.
func TestSEC333_AMailboxReplacesNoStrongerProof(t *testing.T) {
	announce(t)
	t.Parallel()
	p := newIDP(t)
	s := start(t, p.at("acme", true), func(c *config.Config) { c.Providers[0].Preset = "forgejo" })
	p.site = s
	plain := s.visitor().register(fresh("v"))
	plain.linked(p, good, nil)
	strong, phone := s.protected()
	strong.linked(p, good, func(flow string) { strong.give(flow, phone.code()).must(200) })

	for v, want := range map[*visitor]int{plain: 1, strong: 0} {
		if got := v.mailedCodes(); got != want {
			t.Errorf("%s gets %d codes, want %d", v.whoami(), got, want)
		}
	}

	const asked = "/auth/signin?again=1&failed=provider.no_proof&provider=acme&return_to=%2Fadmin"
	if a := strong.get(asked); a.status != 303 || a.header.Get("Location") != "/auth/mfa?return_to="+url.QueryEscape("/admin") {
		t.Errorf("without a proof of the provider, a user with a second factor is led to %d %s", a.status, a.header.Get("Location"))
	}
	if a := plain.get(asked); a.status != 200 || !strings.Contains(a.body, "Forgot your password?") {
		t.Errorf("a user without one gets %d", a.status)
	}
}

// A provider that omits the time is known after it was asked for a new proof. Omitting it
// later, or without that question, changes nothing.
func TestSEC334_AnOmittedTime(t *testing.T) {
	announce(t)
	t.Parallel()
	s, p := startWithIDP(t, true)
	arrives := func() (*visitor, object) {
		claims := object{"sub": fresh("s"), "email": fresh("v"), "email_verified": true}
		v := s.visitor()
		v.continueWith(p.says(claims))
		v.continueWith(p.says(claims))
		return v, claims
	}
	again := func(v *visitor, claims object) string {
		request := v.leave("acme", url.Values{"again": {"yes"}, "return_to": {"/auth/account"}})
		return v.callback("acme", p.says(claims).approve(request)).must(303).header.Get("Location")
	}
	omits, omitted := arrives()
	if n := omits.mailedCodes(); n != 0 {
		t.Errorf("before the provider was asked, %d codes are mailed", n)
	}
	page := again(omits, omitted)
	if a := omits.get(page).must(200); !strings.Contains(a.body, "to set one by email") {
		t.Errorf("%s does not lead to the email", page)
	}
	if n := omits.mailedCodes(); n != 1 {
		t.Errorf("after the provider has omitted the time, %d codes are mailed", n)
	}

	tells, told := arrives()
	told["auth_time"] = s.clock.Now().Unix()
	if next := again(tells, told); next != "/auth/account" {
		t.Fatalf("a proof with its time leads to %s", next)
	}
	delete(told, "auth_time")
	page = again(tells, told)
	if a := tells.get(page).must(200); strings.Contains(a.body, "to set one by email") {
		t.Errorf("%s leads to the email", page)
	}
	if n := tells.mailedCodes(); n != 0 {
		t.Errorf("a provider that has told the time omits it, and %d codes are mailed", n)
	}
}
