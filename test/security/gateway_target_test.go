package security

import (
	"slices"
	"strings"
	"testing"

	"portico/internal/untrusted"
)

// The rule of the path that a client sent must be the rule of the page that the
// app serves.
func TestSEC207_HeadersThatMoveTheRequest(t *testing.T) {
	announce(t)
	t.Parallel()
	app := newApp(t, gunicorn)
	s := start(t, protects(app, "public GET /public/*", "role:admin /admin/*", "signed-in /*"))
	head := "GET /public/admin/x HTTP/1.1\r\nHost: portico.test\r\nSec-Fetch-Mode: cors\r\nConnection: close\r\n"
	names := untrusted.Names(untrusted.Targets())
	if !slices.Contains(names, "Script-Name") || !slices.Contains(names, "X-Middleware-Subrequest") || !slices.Contains(names, "X-Method-Override") {
		t.Fatalf("the names are %q", names)
	}
	for _, name := range names {
		under := strings.ReplaceAll(name, "-", "_")
		for _, spelled := range []string{name, under, strings.ToUpper(under), strings.ReplaceAll(name, "-", "."), "HTTP_" + strings.ToUpper(under)} {
			if all := s.raw(head + spelled + ": /public\r\n\r\n"); len(all) != 1 || all[0].status != 200 {
				t.Fatalf("%s: %v", spelled, all)
			}
		}
	}
	for _, e := range app.asked() {
		if e.Admin {
			t.Errorf("the app served its admin page to a stranger: %v", e.Header)
		}
		for name, values := range e.Header {
			if slices.Contains(values, "/public") {
				t.Errorf("the app got %s", name)
			}
		}
	}
}

// A proxy in front denies /auth/api/check by its plain spelling.
func TestSEC208_OwnPathsHaveOneSpelling(t *testing.T) {
	announce(t)
	t.Parallel()
	s := start(t, protects(newApp(t, tempers()["raw"]), publicAndAdmin()...), trusting())
	for _, target := range []string{
		"/auth/%61pi/session", "/auth/%61pi/check", "/auth/api/%63heck", "/auth/api/chec%6B", "/%61uth/api/session", "/auth/sign%69n", "/auth/%61pi/check/public/x",
		"http://portico.test/auth/%61pi/session", "x:/auth/%61pi/session?://portico.test/public/x", "x:/?://y",
	} {
		for _, a := range s.raw("GET " + target + " HTTP/1.1\r\nHost: portico.test\r\nX-Original-Method: GET\r\nX-Original-URL: https://portico.test/public/x\r\nConnection: close\r\n\r\n") {
			if a.status != 400 {
				t.Errorf("%s gets status %d, want 400", target, a.status)
			}
		}
	}
}
