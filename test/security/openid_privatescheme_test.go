package security

import (
	"regexp"
	"testing"
	"time"
)

// An app that no operator knows has a private scheme, and writes the name of another host behind it.
// Pages name the scheme.
func TestSEC358_HostBehindAPrivateScheme(t *testing.T) {
	announce(t)
	t.Parallel()
	p := newStranger(t)
	s := start(t, only(p))
	v := s.visitor().register(fresh("v"))
	host := regexp.MustCompile(`"host":"([^"]*)"`)
	for _, address := range []string{"com.evil.app://bank.test/callback", "com.evil.app://bank.test", "com.evil.app:/callback"} {
		p.says(object{"redirect_uris": []string{address}})
		s.clock.Advance(6 * time.Minute)
		a := v.authorize(p.request("redirect_uri", address))
		named := host.FindStringSubmatch(a.body)
		if a.status != 200 || named == nil || named[1] != "com.evil.app" {
			t.Errorf("%s: %d, the page names %q", address, a.status, named)
		}
	}
	for _, address := range []string{"com.evil.app://user@bank.test/callback", "com.evil.app://bank.test\\@x", "evil://bank.test", "javascript://bank.test/%0aalert(1)"} {
		p.says(object{"redirect_uris": []string{address}})
		s.clock.Advance(6 * time.Minute)
		s.unknown(address, v.authorize(p.request("redirect_uri", address)))
	}
}
