package security

import (
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"portico/internal/config"
)

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
