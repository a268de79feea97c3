package security

import (
	"fmt"
	"net/netip"
	"testing"
	"time"

	"portico/internal/config"
)

// behindProxy trusts a proxy that names the address of each client.
func behindProxy(c *config.Config) {
	c.TrustedProxies = []netip.Prefix{netip.MustParsePrefix("127.99.0.0/16")}
}

// at returns a browser behind the proxy, with the given client address.
func (s *site) at(address string) *visitor {
	v := s.visitorFrom("127.99.0.1")
	v.header["X-Forwarded-For"] = []string{address}
	return v
}

// Strangers in many networks use up the emails of a mailbox, and guess its
// password and codes. The owner still recovers the account: from a network that
// caused no email, and from a browser that was signed in before.
func TestSEC201_StrangersCannotStarveRecovery(t *testing.T) {
	announce(t)
	t.Parallel()
	s := start(t, behindProxy)
	victim := fresh("victim")
	s.operator(victim, good)
	own := s.at("192.0.2.1")
	own.signIn(victim, good).must(200)
	s.settle()
	before := len(s.mail.to(victim))
	for i := range 12 {
		stranger := s.at(fmt.Sprintf("198.51.100.%d", i+1))
		for range 4 {
			flow := stranger.forgot(victim)
			stranger.verify(flow, "000000")
			stranger.signIn(victim, other)
		}
	}
	s.settle()
	if n := len(s.mail.to(victim)) - before; n > 5+10+1 {
		t.Errorf("strangers caused %d emails, want five, one for each of ten more networks, and one notice", n)
	}
	s.at("203.0.113.1").signIn(victim, good).refused(429, "throttle.limited")
	for name, owner := range map[string]*visitor{"a fresh network": s.at("203.0.113.2"), "the owner's browser": own} {
		before := len(s.mail.to(victim))
		flow := owner.forgot(victim)
		s.settle()
		if n := len(s.mail.to(victim)) - before; n != 1 {
			t.Fatalf("%s gets %d emails, want 1", name, n)
		}
		if owner == own { // the link works for any visitor, the code only where the limit counts the browser on its own
			owner.verify(flow, lastCode(s, s.mail, victim)).must(200)
			own.signIn(victim, good).must(200)
			continue
		}
		owner.open(lastEmail(s, s.mail, victim).token(t)).must(200)
		owner.post("confirm-link", object{}).must(200)
	}
}

// The emails to one mailbox are limited for any number of networks: 25 in an
// hour and 40 in a day, or one without an account.
func TestSEC201_FloodOfAMailboxIsBounded(t *testing.T) {
	announce(t)
	t.Parallel()
	s := start(t)
	known, unknown := fresh("known"), fresh("unknown")
	s.operator(known, good)
	sent := func(address string) int { s.settle(); return len(s.mail.to(address)) }
	for hour := range 8 {
		before := sent(known)
		for range rounds(40, 200) {
			v := s.visitor()
			v.forgot(known)
			v.forgot(unknown)
		}
		if n := sent(known) - before; n > 25 {
			t.Errorf("%d emails in hour %d, at most 25 may be", n, hour)
		}
		s.clock.Advance(time.Hour)
	}
	if n := sent(known); n != 40 {
		t.Errorf("%d emails in a day, want 40", n)
	}
	if n := sent(unknown); n != 1 {
		t.Errorf("%d emails to an address without an account, want 1", n)
	}
}

// A /48 has 65,536 networks. Guesses from all of them count together.
func TestSEC202_SprayingFromOneSiteIsStopped(t *testing.T) {
	announce(t)
	t.Parallel()
	s := start(t, behindProxy)
	for _, spray := range []struct {
		name    string
		network string // with the number of the /64
		want    int
	}{
		{"four /64 of one /56", "2001:db8:a:%x::1", 150},
		{"four /64 of one /48", "2001:db8:b:%x00::1", 300},
	} {
		compared := 0
		for network := range 4 {
			v := s.at(fmt.Sprintf(spray.network, network))
			for range 100 {
				if v.signIn(fresh("spray"), "Summer2026!").status == 401 {
					compared++
				}
			}
		}
		if compared != spray.want {
			t.Errorf("%s: %d of 400 passwords were compared, want %d", spray.name, compared, spray.want)
		}
	}
	address := fresh("v")
	s.operator(address, good)
	s.at("2001:db8:c::1").signIn(address, good).must(200) // another /48 is not limited
}

// One network guesses the codes of many accounts, five guesses each.
func TestSEC203_CodeGuessesOfOneNetworkAreStopped(t *testing.T) {
	announce(t)
	t.Parallel()
	s := start(t)
	v := s.visitor()
	compared := 0
	for range 45 {
		victim := fresh("victim")
		flow := v.forgot(victim)
		for range 5 {
			switch a := v.verify(flow, "000000"); a.code() {
			case "code.wrong", "code.used_up":
				compared++
			default:
				a.refused(429, "code.locked")
			}
		}
	}
	if compared != 100 {
		t.Errorf("%d of 225 wrong codes over 45 addresses were compared, want 100", compared)
	}
	w := s.visitor()
	address := fresh("v")
	w.verify(w.signUp(address, good), s.mail.next(address).code(t)).must(200)
}
