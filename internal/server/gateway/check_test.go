package gateway_test

import (
	"net/http"
	"strings"
	"testing"

	"portico/internal/config"
)

// guarded configures an app that another proxy forwards to.
func guarded(rules ...string) func(*config.Config) {
	return func(c *config.Config) {
		c.TrustedProxies = loopback
		c.Apps = []config.App{{Name: "guarded", Path: "/", Rules: rules, Headers: []string{"Remote-User: email"}, Key: "app.1"}}
	}
}

// The ways in which proxies describe a request.
var dialects = map[string]func(s *site, method, target string) (path, lines string){
	"forwarded": func(s *site, method, target string) (string, string) {
		return "/auth/api/check", "X-Forwarded-Method: " + method + "\r\nX-Forwarded-Proto: http\r\nX-Forwarded-Host: " + s.host + "\r\nX-Forwarded-Uri: " + target
	},
	"original": func(s *site, method, target string) (string, string) {
		return "/auth/api/check", "X-Original-Method: " + method + "\r\nX-Original-URL: http://" + s.host + target
	},
	"envoy": func(s *site, _, target string) (string, string) {
		return "/auth/api/check" + target, "X-Forwarded-For: 192.0.2.9"
	},
}

func TestCheck(t *testing.T) {
	t.Parallel()
	s := start(t, guarded("public GET /public/*", "role:admin /admin/*", "fresh:10m /danger/*", "mfa /vault/*", "signed-in /app/*"))
	plain, admin := s.person("plain@x.test"), s.person("admin@x.test", "admin")
	for dialect, describe := range dialects {
		t.Run(dialect, func(t *testing.T) {
			ask := func(method, target string, lines ...string) answer {
				path, described := describe(s, method, target)
				verb := "GET"
				if dialect == "envoy" {
					verb = method
				}
				return s.do(verb, path, "", append(lines, described)...)
			}
			got := ask("GET", "/app/x?y=z", "Cookie: "+admin, "X-Portico-User: evil")
			if got.status != 200 || got.header.Get("X-Portico-User") != s.user("admin@x.test").ID || got.header.Get("X-Portico-Roles") != "admin" || got.header.Get("Remote-User") != "admin@x.test" || got.header.Get("X-Portico-Token") == "" {
				t.Errorf("a person: %d %v", got.status, got.header)
			}
			for _, name := range []string{"X-Portico-User", "X-Portico-Email", "X-Portico-Name", "X-Portico-Roles", "X-Portico-Token", "X-Portico-Session-Age", "Remote-User"} {
				if values, there := ask("GET", "/public/x", "X-Portico-User: evil").header[name]; !there || len(values) != 1 || values[0] != "" {
					t.Errorf("a public path without a session: %s is %q, want one empty header", name, values)
				}
			}
			for _, tt := range []struct {
				method, target, cookie string
				status, plain          int // status for a proxy that understands only 401 and 403
			}{
				{"GET", "/admin/x", admin, 200, 200},
				{"DELETE", "/admin/x", admin, 200, 200},
				{"GET", "/admin/x", plain, 403, 403},
				{"POST", "/public/x", admin, 403, 403},
				{"GET", "/elsewhere", admin, 403, 403},
				{"GET", "/app/x", "", 401, 401},
				{"GET", "/vault/x", admin, 401, 401},
				{"TRACE", "/app/x", admin, 405, 403},
				{"GET", "/public/..%2fadmin", admin, 400, 403},
				{"GET", "/public/%2e%2e/admin", admin, 400, 403},
				{"GET", "/auth/account", admin, 404, 403},
			} {
				want := tt.status
				if dialect == "original" {
					want = tt.plain
				}
				if a := ask(tt.method, tt.target, fetch, "Cookie: "+tt.cookie); a.status != want {
					t.Errorf("%s %s: %d %s, want %d", tt.method, tt.target, a.status, a.body, want)
				}
			}
			for _, led := range []struct{ target, cookie, location string }{
				{"/app/x?y=%2F", "", "/auth/signin?return_to=%2Fapp%2Fx%3Fy%3D%252F"},
				{"/vault/x", plain, "/auth/mfa?return_to=%2Fvault%2Fx"},
			} {
				a := ask("GET", led.target, navigate, "Cookie: "+led.cookie)
				status, location := http.StatusSeeOther, led.location
				if dialect == "original" {
					status, location = http.StatusUnauthorized, s.origin+location
				}
				if a.status != status || a.header.Get("Location") != location {
					t.Errorf("a navigation to %s: %d %s, want %d %s", led.target, a.status, a.header.Get("Location"), status, location)
				}
			}
			if a := ask("GET", "/app/x", fetch); !strings.Contains(a.body, `"signin_url":"`+s.origin+`/auth/signin"`) || a.header.Get("Location") != "" {
				t.Errorf("a fetch without a session: %d %s", a.status, a.body)
			}
			if a := ask("GET", "/app/x?refused", "Cookie: "+plain); a.status != 200 {
				t.Errorf("a page whose query is that of a refusal: %d", a.status)
			}
			inPage := strings.Replace(navigate, "text/html", "application/json", 1)
			if a := ask("GET", "/app/x", inPage); a.status != 401 || a.header.Get("Content-Type") != "application/problem+json" || a.header.Get("Location") != "" {
				t.Errorf("a navigation that takes JSON only: %d %v", a.status, a.header)
			}
			socket := strings.Replace(upgrade(s, "http://evil.test"), "Upgrade: websocket\r\nConnection: Upgrade\r\n", "", 1)
			if a := ask("GET", "/app/ws", socket, "Cookie: "+plain); a.status != 403 {
				t.Errorf("a WebSocket of another origin: %d", a.status)
			}
			if a := ask("GET", "/app/ws", strings.Replace(socket, "http://evil.test", s.origin, 1), "Cookie: "+plain); a.status != 200 {
				t.Errorf("a WebSocket of the app's page: %d", a.status)
			}
		})
	}
}

// SEC-149: only a trusted proxy may ask, and only without ambiguity.
func TestCheck_Ambiguity(t *testing.T) {
	t.Parallel()
	s := start(t, guarded("public /public/*", "signed-in /*"))
	forwarded := []string{"X-Forwarded-Method: GET", "X-Forwarded-Proto: http", "X-Forwarded-Host: " + s.host, "X-Forwarded-Uri: /public/x"}
	original := []string{"X-Original-Method: GET", "X-Original-URL: http://" + s.host + "/public/x"}
	without := func(all []string, i int) []string { return append(append([]string(nil), all[:i]...), all[i+1:]...) }
	with := func(all []string, more ...string) []string { return append(append([]string(nil), all...), more...) }
	for name, lines := range map[string][]string{
		"nothing": nil, "no method": without(forwarded, 0), "no proto": without(forwarded, 1), "no host": without(forwarded, 2), "no uri": without(forwarded, 3),
		"no original method": without(original, 0), "no original url": without(original, 1), "both": with(forwarded, original...),
		"uri twice": with(forwarded, "X-Forwarded-Uri: /admin"), "host twice": with(forwarded, "X-Forwarded-Host: evil.test"), "method twice": with(forwarded, "X-Forwarded-Method: GET"),
		"url twice": with(original, "X-Original-URL: http://"+s.host+"/"), "original and uri": with(original, "X-Forwarded-Uri: /public/x"), "original and method": with(original, "X-Forwarded-Method: GET"),
		"forwarded and uri": with(forwarded, "X-Original-URI: /x"), "original path": {"X-Original-Method: GET", "X-Original-URL: /public/x"},
		"other proto": with(without(forwarded, 1), "X-Forwarded-Proto: https"), "empty uri": with(without(forwarded, 3), "X-Forwarded-Uri:"),
		"user at host": with(without(forwarded, 2), "X-Forwarded-Host: a@"+s.host), "list of hosts": with(without(forwarded, 2), "X-Forwarded-Host: "+s.host+", evil.test"),
		"absolute uri": with(without(forwarded, 3), "X-Forwarded-Uri: http://"+s.host+"/public/x"), "path and uri": with(forwarded, "X-Envoy-Original-Path: /x"),
	} {
		a := s.get("/auth/api/check", append(lines, fetch)...)
		if name == "path and uri" {
			if a.status != 200 { // Envoy's own header has no effect here
				t.Errorf("%s: %d", name, a.status)
			}
			continue
		}
		if a.status != 400 {
			t.Errorf("%s: %d %s", name, a.status, a.body)
		}
	}
	if a := s.get("/auth/api/check/public/x", with(forwarded, fetch)...); a.status != 400 {
		t.Errorf("a path and forwarded headers: %d", a.status)
	}
	if a := s.get("/auth/api/check", with(without(forwarded, 2), "X-Forwarded-Host: evil.test", fetch)...); a.status != 404 {
		t.Errorf("an unknown host: %d", a.status)
	}
	// The proxy may use any host name.
	if a := s.get("/auth/api/check", with(forwarded, fetch, "Host: portico:8080")...); a.status != 200 {
		t.Errorf("by an internal name: %d", a.status)
	}
	stranger := start(t, guarded("public /*"), func(c *config.Config) { c.TrustedProxies = nil })
	for _, lines := range [][]string{forwarded, original, nil} {
		if a := stranger.get("/auth/api/check", with(lines, fetch)...); a.status != 403 || !strings.Contains(a.body, "gateway.untrusted") {
			t.Errorf("a stranger: %d %s", a.status, a.body)
		}
	}
	if a := stranger.get("/auth/api/check", with(forwarded, fetch, "Host: portico:8080")...); a.status != 421 {
		t.Errorf("a stranger by an internal name: %d", a.status)
	}
	// The gateway does not forward to an app without an upstream.
	if a := stranger.get("/x", fetch); a.status != 404 {
		t.Errorf("directly: %d", a.status)
	}
}

// The endpoint does not answer for apps that the gateway forwards to. Otherwise
// any page could make a proxy in front ask about them.
func TestCheck_NotForOwnUpstreams(t *testing.T) {
	t.Parallel()
	s := start(t, behind(echoApp(t).URL, "public /public/*", "signed-in /*"), func(c *config.Config) { c.TrustedProxies = loopback })
	cookie := s.person("mara@x.test")
	for dialect, describe := range dialects {
		for _, target := range []string{"/app/x", "/public/x"} {
			path, described := describe(s, "GET", target)
			if a := s.do("GET", path, "", described, fetch, "Cookie: "+cookie); a.status != 404 || a.header.Get("X-Portico-Token") != "" {
				t.Errorf("%s, %s: %d %v", dialect, target, a.status, a.header)
			}
		}
	}
}
