package security

import (
	"testing"
	"time"

	"portico/internal/config"
	"portico/internal/openid"
	"portico/internal/outbox"
)

func TestSEC501_ASessionHasSoManyGrants(t *testing.T) {
	announce(t)
	t.Parallel()
	s := start(t, func(c *config.Config) { c.Clients[0].LogoutURI = "http://127.0.0.1:1" }) // no message arrives, and each stays
	v := s.visitor().register(fresh("v"))
	first := v.rpTokens()
	var newest rpAnswer
	for range openid.MostGrants + 49 {
		s.clock.Advance(time.Second)
		newest = v.rpTokens()
	}
	if n := s.count(`SELECT COUNT(*) FROM openid_grant`); n != openid.MostGrants {
		t.Errorf("of one client in one session there are %d grants, want %d", n, openid.MostGrants)
	}
	for range openid.MostGrants + 50 {
		s.clock.Advance(time.Millisecond)
		v.openIDCode()
	}
	if n := s.count(`SELECT COUNT(*) FROM openid_grant WHERE redeemed_at = 0`); n != openid.MostGrants {
		t.Errorf("there are %d codes, want %d", n, openid.MostGrants)
	}
	s.refused("the oldest grant", s.rp("token", refreshForm(first.Refresh)), "invalid_grant")
	if a := s.rp("token", refreshForm(newest.Refresh)); a.status != 200 {
		t.Errorf("the newest grant: %d %s", a.status, a.body)
	}
	v.post("signout", object{})
	if n := s.count(`SELECT COUNT(*) FROM outbox WHERE template = $1`, outbox.LogoutTemplate); n != 1 {
		t.Errorf("the client is told %d times that the session has ended", n)
	}
}
