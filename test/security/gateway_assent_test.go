package security

import (
	"bufio"
	"net/http"
	"strings"
	"testing"

	"portico/internal/config"
)

// asSent lets the app get paths as they are sent.
func asSent(c *config.Config) { c.App.Paths = config.PathsAsSent }

// An app that gets paths as they are sent must get no path that it reads as its
// admin page, whatever it makes of the path. Other paths reach it unchanged.
func TestSEC360_PathsAsSent(t *testing.T) {
	announce(t)
	t.Parallel()
	for temper, page := range tempers() {
		for name, rules := range map[string][]string{"public": publicAndAdmin(), "signed-in": {"role:admin /admin/*", "signed-in /*"}} {
			t.Run(temper+", "+name, func(t *testing.T) {
				t.Parallel()
				app := newApp(t, page)
				s := start(t, protects(app, rules...), asSent)
				v := s.staff("editor")
				v.asksForAdmin(app)
				for _, target := range []string{
					"/app/queues/%2F/name", "/app/@scope%2fname", "/app/g%2Fp/lib%2Fclass%2Erb?ref=a%2Fb;c", "/app/a;b=c/d", "/app/a%3Bb", "/app/a//b///", "/app/caf%c3%a9%2fx",
				} {
					if a := v.do("GET", target, "", script()); a.status != 200 || a.echoed().Target != target {
						t.Errorf("%s gets status %d", target, a.status)
					}
					s.visitor().do("GET", target, "", script()).refused(401, "session.required")
				}
				if e := s.staff("admin").do("GET", "/admin//x", "", script()).echoed(); e.Target != "/admin//x" {
					t.Errorf("an administrator gets to %s", e.Target)
				}
			})
		}
	}
}

// The same where another proxy forwards. And a spelling of Portico's own paths, or of
// another app's, must not become a path of the app.
func TestSEC361_PathsAsSentBesideOthers(t *testing.T) {
	announce(t)
	t.Parallel()
	other := newApp(t, tempers()["raw"])
	s := start(t, trusting(), func(c *config.Config) {
		protects(other, "public /other/*")(c)
		other := c.App.Upstream
		c.App.Upstream, c.App.Rules = nil, nil
		c.Apps = []config.App{
			{Name: "guarded", Path: "/", Rules: publicAndAdmin(), Paths: config.PathsAsSent, Key: "app.1"},
			{Name: "other", Path: "/other", Upstream: other, Rules: []string{"public /other/*"}, Key: "app.2"},
			{Name: "own", Host: "own.portico.test", Path: "/", Rules: publicAndAdmin(), Paths: config.PathsAsSent, Key: "app.3"},
		}
	})
	v := s.staff("editor")
	ask := func(target string) int {
		a := v.do("GET", "/auth/api/check", "", http.Header{"X-Forwarded-Method": {"GET"}, "X-Forwarded-Proto": {"https"}, "X-Forwarded-Host": {"portico.test"}, "X-Forwarded-Uri": {target}})
		b := v.do("GET", "/auth/api/check", "", http.Header{"X-Original-Method": {"GET"}, "X-Original-Url": {"https://portico.test" + target}})
		if (a.status == 200) != (b.status == 200) {
			t.Errorf("%s: %d for one proxy and %d for another", target, a.status, b.status)
		}
		return a.status
	}
	for _, target := range spelledAdmin() {
		if !strings.HasPrefix(target, "/") || ask(target) != 200 {
			continue
		}
		r, err := http.ReadRequest(bufio.NewReader(strings.NewReader("GET " + target + " HTTP/1.1\r\nHost: portico.test\r\n\r\n")))
		if err != nil {
			t.Fatal(err)
		}
		for temper, page := range tempers() {
			if found := page(r); found == "/admin" || strings.HasPrefix(found, "/admin/") {
				t.Errorf("%s passes, and %s reads it as %s", target, temper, found)
			}
		}
	}
	for _, target := range []string{"/app/queues/%2F/name", "/app/@scope%2fname", "/public/a;b//c"} {
		if status := ask(target); status != 200 {
			t.Errorf("%s gets status %d", target, status)
		}
	}
	for _, target := range []string{"/other;x", "/other%2Fx", "/other/x%2Fy", "/auth%2Fapi", "/auth;x/api", "/auth//api", "/public/..%2Fother"} {
		if status := ask(target); status == 200 {
			t.Errorf("%s passes as a path of the app", target)
		}
	}
	for _, target := range []string{"/auth%2Fapi%2Fcheck", "/auth/api%2fcheck", "/auth//api/check", "//auth/api/check", "/auth;x/api/check", "/auth/api/check;x", "/auth/api;/check", "/auth/api/check%2Fx", "/%2Fauth/api/check", "/x/..%2fauth/api/check"} {
		for _, host := range []string{"portico.test", "own.portico.test"} {
			own := http.Header{"Host": {host}, "X-Forwarded-Method": {"GET"}, "X-Forwarded-Proto": {"https"}, "X-Forwarded-Host": {"portico.test"}, "X-Forwarded-Uri": {"/app/x"}}
			if a := v.do("GET", target, "", own); a.status == 200 || a.header.Get("X-Portico-Token") != "" {
				t.Errorf("%s%s answers %d and tells who the user is", host, target, a.status)
			}
		}
	}
	if n := len(other.asked()); n > 0 {
		t.Errorf("another app was asked %d times", n)
	}
}
