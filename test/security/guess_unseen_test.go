package security

import (
	"strings"
	"testing"
)

// edges decorate an address with blanks and invisible characters, as a paste does.
func edges(address string) []string {
	return []string{
		address, " " + address + "\r\n", "\u00a0" + address, address + "\u200b", "\ufeff" + address, "\u2067" + address + "\u2069", "\u202a" + address + "\u202c", "\u3000\u00ad" + address + "\u200e\u2060",
	}
}

// A decorated address is the address: the answers tell nothing more, and the guesses share one count.
func TestSEC359_DecoratedAddressesAreOneAddress(t *testing.T) {
	announce(t)
	t.Parallel()
	s := start(t)
	known, unknown, right := fresh("known"), fresh("known"), fresh("right")
	s.operator(known, good)
	s.operator(right, good)
	others := edges(unknown)
	for i, spelling := range edges(known) {
		mine, none := s.visitor().signIn(spelling, other), s.visitor().signIn(others[i], other)
		if mine.face() != none.face() {
			t.Errorf("%+q: %d %s with an account, %d %s without", spelling, mine.status, mine.body, none.status, none.body)
		}
	}
	if n := s.evaluated("sign_in_failed"); n != 2*5 {
		t.Errorf("%d passwords were compared over %d spellings of two addresses, want 5 each", n, len(others))
	}
	for _, spelling := range edges(right) {
		s.visitor().signIn(spelling, good).must(200)
	}
}

// Only the ends of a typed address are cleaned. Invisible characters inside and controls are refused. The address of
// a provider counts as the provider gives it.
func TestSEC359_NoOtherAddressBecomesAnAccount(t *testing.T) {
	announce(t)
	t.Parallel()
	s, p := startWithIDP(t, true)
	victim := fresh("victim")
	s.operator(victim, good)
	local, domain, _ := strings.Cut(victim, "@")
	for _, spelling := range []string{
		local + "\u200b@" + domain, local + "@\u200b" + domain, victim[:3] + "\u00ad" + victim[3:], victim + "\x00", victim + "\x1b", victim + "\ue000", victim + "\u0085", "\u202e" + victim, "\u202e" + victim + "\u200bx",
	} {
		if a := s.visitor().signIn(spelling, good); a.status != 422 && a.status != 400 {
			t.Errorf("%+q: %d %s", spelling, a.status, a.body)
		}
	}
	for _, given := range []string{victim + "\u200b", "\u2067" + victim + "\u2069", victim + "\u00ad"} {
		p.says(object{"email": given, "email_verified": true})
		if to := s.visitor().continueWith(p); !strings.Contains(to, "provider.no_address") {
			t.Errorf("%+q of a provider leads to %s", given, to)
		}
	}
	if n := s.identities(); n != 0 {
		t.Errorf("%d identities were made", n)
	}
}

// The message for a URL whose password is cut short names a character and shows nothing of the password.
func TestSEC359_NoMessageShowsAPassword(t *testing.T) {
	announce(t)
	t.Parallel()
	for _, url := range []string{"u:hush/hush@db.test/p", "u:hush#hush@db.test/p", "u:hush?hush@db.test/p", "u:hu@sh/hush@db.test/p", "u:hush%hush@db.test/p", "u:hush hush@db.test/p", "u:hush[@db.test/p", "u:hüsh/hush@db.test/p"} {
		why := problemOf(t, "database_url", "database_url = \"postgres://"+url+"\"\n")
		if why == "" || strings.Contains(why, "hu") {
			t.Errorf("%s: %q", url, why)
		}
	}
}
