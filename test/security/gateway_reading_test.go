package security

import (
	"net/http"
	"testing"

	"portico/internal/config"
)

// A user without the role must not reach a page by a spelling that some app
// accepts. Pages in any language stay reachable.
func TestSEC239_SpellingsOfGenerousApps(t *testing.T) {
	announce(t)
	t.Parallel()
	app := newApp(t, tempers()["raw"])
	s := start(t, protects(app, "role:admin /settings/*", "role:admin /admin/*", "signed-in /*"))
	person, admin := s.staff(), s.staff("admin")
	for _, target := range []string{
		"/%C5%BFettings", "/%C5%BFettings/x", "/adm%C4%B1n", "/adm%C4%B0n/x", "/admin.", "/admin%20", "/admin./x", "/admin%20/x", "/admin.%20.", "/admin::$DATA",
		"/%EF%BD%81%EF%BD%84%EF%BD%8D%EF%BD%89%EF%BD%8E", "/ad%C2%ADmin", "/admin%C2%A0", "/%E2%80%A5/admin", "/x/%E2%80%A5/admin/y", "/adm%69%CC%87n", "/ad%E2%80%8Bmin",
	} {
		if a := person.do("GET", target, "", script()); a.status == 200 {
			t.Errorf("%s is answered 200", target)
		}
	}
	if n := len(app.asked()); n > 0 {
		t.Errorf("the app was asked %d times", n)
	}
	for _, target := range []string{"/caf%C3%A9", "/%E6%97%A5%E6%9C%AC%E8%AA%9E/a.", "/wiki/Help:Contents", "/%C4%B0stanbul", "/Washington,_D.C."} {
		if a := person.do("GET", target, "", script()); a.status != 200 || a.echoed().Target != target {
			t.Errorf("%s gets status %d", target, a.status)
		}
	}
	if a := admin.do("GET", "/admin.", "", script()); a.status != 200 {
		t.Errorf("an administrator gets status %d", a.status)
	}
}

// A user without the role must not reach the page of one app by a spelling that belongs to another app, where both are
// one program. Another program gets all of its own paths.
func TestSEC497_SpellingsOfAnotherApp(t *testing.T) {
	announce(t)
	t.Parallel()
	program, other := newApp(t, tempers()["decoded twice"]), newApp(t, tempers()["raw"])
	elsewhere := config.Config{}
	protects(other)(&elsewhere)
	s := start(t, trusting(), protects(program, "public /*"), func(c *config.Config) {
		c.Apps = []config.App{
			{Name: "admin", Path: "/admin", Upstream: c.App.Upstream, Rules: []string{"public GET /admin/logo", "role:admin /admin/*"}, Key: "app.1"},
			{Name: "wiki", Path: "/wiki", Upstream: elsewhere.App.Upstream, Rules: []string{"role:admin /wiki/*"}, Key: "app.2"},
			{Name: "site", Host: "site.portico.test", Path: "/", Rules: []string{"public /*"}, Key: "app.3"},
			{Name: "tools", Host: "site.portico.test", Path: "/admin", Rules: []string{"role:admin /admin/*"}, Key: "app.4"},
			{Name: "front", Host: "front.portico.test", Path: "/", Rules: []string{"public /*"}, Key: "app.5"},
			{Name: "live", Host: "front.portico.test", Path: "/admin", Upstream: c.App.Upstream, Rules: []string{"role:admin /admin/*"}, Key: "app.6"},
			{Name: "behind", Host: "behind.portico.test", Path: "/", Upstream: c.App.Upstream, Rules: []string{"public /*"}, Key: "app.7"},
			{Name: "apart", Host: "behind.portico.test", Path: "/admin", Rules: []string{"role:admin /admin/*"}, Key: "app.8"},
		}
	})
	nobody, admin := s.visitor(), s.staff("admin")
	asked := func(v *visitor, host, target string) int {
		return v.do("GET", "/auth/api/check", "", http.Header{"Sec-Fetch-Mode": {"cors"}, "X-Forwarded-Method": {"GET"}, "X-Forwarded-Proto": {"https"}, "X-Forwarded-Host": {host}, "X-Forwarded-Uri": {target}}).status
	}
	for _, target := range []string{"/ADMIN", "/Admin/x", "/admin%20", "/adm%C4%B1n/x", "/%EF%BD%81dmin/x", "/admin./x", "/ADMIN/logo/x"} {
		if a := nobody.do("GET", target, "", script()); a.status != 401 {
			t.Errorf("%s gets status %d", target, a.status)
		}
		for _, host := range []string{"site.portico.test", "front.portico.test"} {
			if status := asked(nobody, host, target); status != 401 {
				t.Errorf("where another proxy forwards, %s%s gets status %d", host, target, status)
			}
		}
		for _, a := range s.raw("GET " + target + " HTTP/1.1\r\nHost: behind.portico.test\r\nSec-Fetch-Mode: cors\r\nConnection: close\r\n\r\n") {
			if a.status != 401 {
				t.Errorf("behind the gateway, %s gets status %d", target, a.status)
			}
		}
	}
	if n := len(program.asked()); n > 0 {
		t.Errorf("the program was asked %d times", n)
	}
	if a := admin.do("GET", "/ADMIN/x", "", script()); a.status != 200 {
		t.Errorf("an administrator gets status %d", a.status)
	}
	for _, target := range []string{"/", "/x", "/administration", "/WIKI/x", "/caf%C3%A9", "/Admin/logo"} {
		if a := nobody.do("GET", target, "", script()); a.status != 200 {
			t.Errorf("%s gets status %d", target, a.status)
		}
	}
	for _, host := range []string{"site.portico.test", "front.portico.test"} {
		if status := asked(nobody, host, "/x"); status != 200 {
			t.Errorf("where another proxy forwards, a public page of %s gets status %d", host, status)
		}
	}
}
