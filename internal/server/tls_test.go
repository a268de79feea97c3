package server_test

import (
	"net/http/httptest"
	"testing"

	"portico/internal/server"
)

// The http listener redirects browsers to the fixed origin of a known name, with the
// same path. It answers no other name, and leads no program on that has sent a secret.
func TestToHTTPS(t *testing.T) {
	t.Parallel()
	handler := server.ToHTTPS(func() map[string]string {
		return map[string]string{"login.test": "https://login.test:8443", "shop.test": "https://shop.test"}
	})
	for _, c := range []struct {
		method, host, target string
		status               int
		to                   string
	}{
		{"GET", "login.test", "/auth/signin?a=%2F&b", 308, "https://login.test:8443/auth/signin?a=%2F&b"},
		{"HEAD", "LOGIN.test:80", "/a", 308, "https://login.test:8443/a"},
		{"POST", "LOGIN.test:80", "/auth/signin", 403, ""},
		{"POST", "login.test", "/auth/openid/token", 403, ""},
		{"GET", "login.test", "/auth/api/session", 403, ""},
		{"GET", "login.test", "http://login.test/auth/api/session", 403, ""},
		{"GET", "login.test", "/.well-known/jwks.json", 403, ""},
		{"GET", "shop.test", "/.well-known/acme-challenge/x", 308, "https://shop.test/.well-known/acme-challenge/x"}, // of the app's own certificate
		{"GET", "shop.test", "/", 308, "https://shop.test/"},
		{"GET", "shop.test", "http://shop.test/x", 308, "https://shop.test/x"},
		{"GET", "evil.test", "/", 421, ""},
		{"GET", "", "/", 421, ""},
		{"GET", "login.test.evil.test", "/", 421, ""},
		{"GET", "shop.test", "//evil.test/", 400, ""},
		{"GET", "shop.test", "/a/../b", 400, ""},
		{"GET", "shop.test", "x:/?://y", 400, ""},
	} {
		r := httptest.NewRequest(c.method, c.target, nil)
		r.Host = c.host
		w := httptest.NewRecorder()
		handler.ServeHTTP(w, r)
		if w.Code != c.status || w.Header().Get("Location") != c.to {
			t.Errorf("%s %s%s: %d to %q, want %d to %q", c.method, c.host, c.target, w.Code, w.Header().Get("Location"), c.status, c.to)
		}
		r.Header.Set("Authorization", "Bearer x")
		w = httptest.NewRecorder()
		handler.ServeHTTP(w, r)
		if w.Code < 400 || w.Header().Get("Location") != "" {
			t.Errorf("%s %s%s with a token: %d to %q", c.method, c.host, c.target, w.Code, w.Header().Get("Location"))
		}
	}
}
