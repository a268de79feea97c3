package server_test

import (
	"net/http/httptest"
	"testing"

	"portico/internal/server"
)

// The http listener redirects to the fixed origin of a known name, with the
// same path, and answers no other name.
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
		{"POST", "LOGIN.test:80", "/a", 308, "https://login.test:8443/a"},
		{"GET", "shop.test", "/", 308, "https://shop.test/"},
		{"GET", "shop.test", "http://shop.test/x", 308, "https://shop.test/x"},
		{"GET", "evil.test", "/", 421, ""},
		{"GET", "", "/", 421, ""},
		{"GET", "login.test.evil.test", "/", 421, ""},
		{"GET", "shop.test", "//evil.test/", 400, ""},
		{"GET", "shop.test", "/a/../b", 400, ""},
	} {
		r := httptest.NewRequest(c.method, c.target, nil)
		r.Host = c.host
		w := httptest.NewRecorder()
		handler.ServeHTTP(w, r)
		if w.Code != c.status || w.Header().Get("Location") != c.to {
			t.Errorf("%s %s%s: %d to %q, want %d to %q", c.method, c.host, c.target, w.Code, w.Header().Get("Location"), c.status, c.to)
		}
	}
}
