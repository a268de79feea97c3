package gateway_test

import (
	"net/http"
	"strings"
	"testing"
)

// SEC-240: a proxy with WebSockets over HTTP/2 describes them without Upgrade
// and Sec-WebSocket-Key. A page of another origin cannot open one, however it
// is described.
func TestCheck_SocketsOverHTTP2(t *testing.T) {
	t.Parallel()
	s := start(t, guarded("public /public/*", "signed-in /*"))
	person := "Cookie: " + s.person("mara@x.test")
	for _, sign := range []string{
		"Sec-WebSocket-Version: 13", "Sec-Fetch-Mode: websocket", "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==", "Upgrade: WebSocket", "Sec-WebSocket-Version: 13\r\nSec-Fetch-Mode: websocket",
	} {
		for _, method := range []string{"GET", "CONNECT"} {
			for _, target := range []string{"/ws", "/public/ws"} {
				for from, want := range map[string]int{"Origin: " + s.origin: 200, "Origin: https://evil.test": 403, "Origin: null": 403, "X-No: origin": 403} {
					path, lines := dialects["forwarded"](s, method, target)
					if a := s.get(path, lines, sign, from, person); a.status != want {
						t.Errorf("%s %s with %q and %q: %d %s", method, target, sign, from, a.status, a.body)
					}
				}
			}
		}
	}
	path, lines := dialects["forwarded"](s, "GET", "/ws")
	if a := s.get(path, lines, "Sec-WebSocket-Version: 13", "Origin: "+s.origin); a.status != 401 || a.header.Get("Location") != "" {
		t.Errorf("without a session: %d %v", a.status, a.header)
	}
	path, lines = dialects["forwarded"](s, "CONNECT", "/ws")
	if a := s.get(path, lines, person); a.status != 405 {
		t.Errorf("a CONNECT that is no WebSocket: %d", a.status)
	}
}

// A visitor refused by a proxy gets an error page about the requested path.
// With the query of a proxy that refuses itself, no response contains an
// identity.
func TestCheck_RefusalPage(t *testing.T) {
	t.Parallel()
	s := start(t, guarded("role:admin /admin/*", "signed-in /*"))
	person, admin := "Cookie: "+s.person("mara@x.test"), "Cookie: "+s.person("admin@x.test", "admin")
	for _, dialect := range []string{"forwarded", "envoy"} {
		path, lines := dialects[dialect](s, "GET", "/admin/x?y=1")
		if lines == "" {
			lines = "X-None: 1"
		}
		a := s.get(path, lines, navigate, "Accept: text/html", person)
		if a.status != http.StatusForbidden || !strings.Contains(a.body, "<title>error") || !strings.Contains(a.body, `return_to=%2Fadmin%2Fx%3Fy%3D1`) {
			t.Errorf("%s: a navigation: %d %s", dialect, a.status, a.body)
		}
		if a := s.get(path, lines, fetch, "Accept: text/html", person); a.status != http.StatusForbidden || a.header.Get("Content-Type") != "application/problem+json" {
			t.Errorf("%s: a script: %d %v", dialect, a.status, a.header)
		}
	}
	path, lines := dialects["forwarded"](s, "GET", "/admin/x")
	if a := s.get(path, lines, navigate, "Accept: text/html", admin); a.status != 200 || a.header.Get("X-Portico-Token") == "" {
		t.Errorf("an admin: %d", a.status)
	}
	if a := s.get(path+"?refused", lines, navigate, "Accept: text/html", admin); a.status != 403 || a.header.Get("X-Portico-Token") != "" {
		t.Errorf("an admin whom the proxy refuses: %d %v", a.status, a.header)
	}
}
