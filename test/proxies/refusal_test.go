package proxies

import (
	"net/http"
	"net/url"
	"strings"
	"testing"
)

// A user without the role sees a page of Portico with a way to another account
// and back. A script gets a problem document.
func refusals(t *testing.T, p *place, person *visitor) {
	p.app.requests()
	const target = "/admin/x?y=%2F"
	got := person.get(target, navigation...)
	back := "/auth/signin?return_to=" + url.QueryEscape(target)
	if got.status != http.StatusForbidden || !strings.HasPrefix(got.header.Get("Content-Type"), "text/html") || !strings.Contains(got.body, back) {
		t.Errorf("a navigation: %d %s, want a page that leads to %s:\n%.600s", got.status, got.header.Get("Content-Type"), back, got.body)
	}
	if policy := got.header.Get("Content-Security-Policy"); !strings.Contains(policy, "frame-ancestors 'none'") || !strings.Contains(policy, "script-src 'self'") {
		t.Errorf("the page has the policy %q", policy)
	}
	scripted := person.get(target, script...)
	if scripted.status != http.StatusForbidden || !strings.Contains(scripted.body, `"code":"rule.role"`) || scripted.header.Get("Content-Type") != "application/problem+json" {
		t.Errorf("a script: %d %s %.300s", scripted.status, scripted.header.Get("Content-Type"), scripted.body)
	}
	missing := person.get("/admin/x//y", navigation...)
	if missing.status < 400 || strings.Contains(missing.body, "nginx") || strings.Contains(missing.body, "Apache") {
		t.Errorf("an ambiguous address: %d %.300s", missing.status, missing.body)
	}
	for _, a := range []answer{got, scripted, missing} {
		for name := range a.header {
			if strings.HasPrefix(name, "X-Portico-") {
				t.Errorf("the browser is told %s", name)
			}
		}
	}
	if n := len(p.app.requests()); n > 0 {
		t.Errorf("the app was asked %d times", n)
	}
}
