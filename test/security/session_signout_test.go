package security

import (
	"net/url"
	"strings"
	"testing"
	"time"
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

// The next visitor of a browser does not find the flows that its former user has begun.
func TestSEC335_SignOutEndsWhatTheBrowserHasBegun(t *testing.T) {
	announce(t)
	t.Parallel()
	s := start(t)
	begin := func() (*visitor, string) {
		address := fresh("v")
		return s.visitor().register(address), address
	}
	leave := func(v *visitor) { v.post("signout", object{}).must(200) }

	v, address := begin()
	v.forgot(address)
	v.open(s.mail.next(address).token(t))
	leave(v)
	if a := v.get("/auth/confirm-link"); strings.Contains(a.body, "Continue") {
		t.Errorf("the page of an opened link: %d", a.status)
	}
	if a := v.post("confirm-link", object{}); a.status < 400 {
		t.Errorf("an opened link: %d %s", a.status, a.body)
	}

	v, address = begin()
	flow := v.forgot(address)
	v.verify(flow, s.mail.code(address)).must(200)
	leave(v)
	v.get("/auth/reset-password?flow=" + flow).must(303)
	v.reset(flow, other).refused(404, "flow.unknown")

	_, p := s.protected()
	v, flow = p.pending()
	finished := v.signIn(p.address, good).flow()
	v.give(finished, p.code()).must(200)
	leave(v)
	if a := v.get("/auth/signin"); a.status != 200 {
		t.Errorf("the sign-in page leads to %s", a.header.Get("Location"))
	}
	s.clock.Advance(time.Minute)
	v.give(flow, p.code()).refused(404, "flow.unknown")
	if v.whoami() != "" {
		t.Error("a second step that waited signs in")
	}
}
