package security

import (
	"net/http"
	"strings"
	"testing"
)

func TestSEC152_MethodsOfApps(t *testing.T) {
	announce(t)
	t.Parallel()
	app := newApp(t, tempers()["raw"])
	s := start(t, protects(app, "public GET /public/*", "public PREFLIGHT /api/*", "role:admin DELETE /app/*", "signed-in /app/*"))
	v := s.staff()
	for _, method := range []string{"TRACE", "CONNECT", "FOO", "get", "PREFLIGHT"} {
		for _, a := range s.raw(method + " /app/x HTTP/1.1\r\nHost: portico.test\r\nCookie: " + v.cookieLine() + "\r\nConnection: close\r\n\r\n") {
			if a.status != 405 && a.status != 400 && a.status != 501 {
				t.Errorf("%s gets status %d", method, a.status)
			}
		}
	}
	if seen := app.asked(); len(seen) > 0 {
		t.Errorf("the app was asked: %v", seen)
	}
	for _, name := range []string{"X-HTTP-Method-Override", "X-HTTP-Method", "X-Method-Override", "X_HTTP_METHOD_OVERRIDE"} {
		h := http.Header{name: {"DELETE"}}
		for header := range v.do("POST", "/app/x", "", h).echoed().Header {
			if strings.Contains(strings.ToLower(header), "override") || strings.Contains(strings.ToLower(header), "http-method") {
				t.Errorf("the app gets another method through %s", header)
			}
		}
	}
	v.do("DELETE", "/app/x", "", script()).refused(403, "rule.role")
	asking := http.Header{"Origin": {"https://elsewhere.test"}, "Access-Control-Request-Method": {"PUT"}}
	s.visitor().do("OPTIONS", "/api/x", "", asking).must(200)
	s.visitor().do("OPTIONS", "/api/x", "", script()).refused(403, "rule.denied")
	s.visitor().do("OPTIONS", "/api/x", "body", asking).must(403)
	s.visitor().do("HEAD", "/public/x", "", script()).must(200)
}

// With an app behind the gateway exactly these routes are mounted.
func TestSEC165_RoutesOfTheGateway(t *testing.T) {
	announce(t)
	t.Parallel()
	s := start(t, protects(newApp(t, tempers()["raw"])))
	s.visitor().get("/auth/signin").must(200)
	want := routes()
	delete(want, "GET /{$}") // the app's
	for _, pattern := range []string{"GET /auth/enter", "/auth/api/check", "/auth/api/check/{path...}"} {
		want[pattern] = route{}
	}
	for _, pattern := range s.mounted.patterns() {
		if _, known := want[pattern]; !known {
			t.Errorf("%s is mounted and not in the table of routes", pattern)
		}
		delete(want, pattern)
	}
	for pattern := range want {
		t.Errorf("%s is not mounted", pattern)
	}
}
