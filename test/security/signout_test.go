package security

import (
	"net/url"
	"strings"
	"testing"
)

func TestSEC287_SignOutLeadsToNoForeignSite(t *testing.T) {
	announce(t)
	t.Parallel()
	s := start(t)
	v := s.visitor().register(fresh("v"))
	const page = "/auth/signed-out"
	for _, target := range []string{
		"https://evil.test/", "//evil.test", `/\evil.test`, "/\t/evil.test", "https:evil.test", "javascript:alert(1)", "data:text/html,x",
		s.origin + "@evil.test/", s.origin + ".evil.test/", "https://evil.test#" + s.origin, strings.Repeat("/a", 2000),
	} {
		query := "?return_to=" + url.QueryEscape(target)
		a := v.form("/auth/signout"+query, nil).must(303)
		if to := a.header.Get("Location"); to != page {
			t.Errorf("%.40q: the form leads to %s", target, to)
		}
		if next := v.post("signout", object{"return_to": target}).must(200).next(); next != page {
			t.Errorf("%.40q: the API leads to %s", target, next)
		}
		if shown := v.get(page + query).must(200).body; !strings.Contains(shown, `"return_to":""`) || strings.Contains(shown, "evil") {
			t.Errorf("%.40q: the page knows the target", target)
		}
	}
	// A target of this site is kept, so the checks above can fail.
	const kept = page + "?return_to=%2Freports"
	if to := v.form("/auth/signout?return_to=/reports", nil).must(303).header.Get("Location"); to != kept {
		t.Errorf("an own target: %s", to)
	}
	if shown := v.get(kept).must(200).body; !strings.Contains(shown, `"return_to":"/reports"`) {
		t.Error("the page does not know an own target")
	}
}
