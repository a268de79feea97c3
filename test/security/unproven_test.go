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
	a := v.post("signin", object{"email": address, "password": password, "flow": linkFlow(v.T, next)}).must(200)
	if proves != nil {
		proves(a.flow())
	}
	v.post("account/password/remove", object{"account": v.id()}).must(200)
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

	codes := func(v *visitor) (count int) {
		s.settle()
		for _, m := range s.mail.to(v.whoami()) {
			if m.code(t) != "" {
				count++
			}
		}
		return count
	}
	for v, want := range map[*visitor]int{plain: 1, strong: 0} {
		before := codes(v)
		s.visitor().forgot(v.whoami())
		if got := codes(v) - before; got != want {
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
