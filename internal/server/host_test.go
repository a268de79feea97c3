package server_test

import (
	"testing"

	"portico/internal/server"
)

func TestHost(t *testing.T) {
	t.Parallel()
	cases := []struct {
		public, host string
		status       int
	}{
		{"https://portico.test", "portico.test", 200},
		{"https://portico.test", "PORTICO.test", 200},
		{"https://portico.test", "portico.test:443", 200},
		{"https://portico.test", "portico.test:80", 421},
		{"https://portico.test", "portico.test:8443", 421},
		{"https://portico.test", "portico.test:80:80", 421},
		{"https://portico.test", "portico.test:", 421},
		{"https://portico.test", "portico.test.", 421},
		{"https://portico.test", "portico.test.evil.test", 421},
		{"https://portico.test", "evilportico.test", 421},
		{"https://portico.test", "portico.test:80@evil.test", 421},
		{"https://portico.test", "evil.test", 421},
		{"https://portico.test", "localhost", 421},
		{"https://portico.test", "127.0.0.1", 421},
		{"https://portico.test", "", 421},
		{"https://portico.test:8443", "portico.test:8443", 200},
		{"https://portico.test:8443", "portico.test", 421},
		{"http://localhost:8080", "localhost:8080", 200},
		{"http://localhost:8080", "127.0.0.1:8080", 200},
		{"http://localhost:8080", "[::1]:8080", 200},
		{"http://localhost:8080", "localhost", 421},
		{"http://localhost:8080", "evil.test:8080", 421},
		{"http://127.0.0.1", "localhost:80", 200},
	}
	for _, c := range cases {
		t.Run(c.public+" as "+c.host, func(t *testing.T) {
			t.Parallel()
			k := newKit(t, c.public)
			k.Handle("GET /here", ok)
			w := k.do("GET", "/here", "", "Host: "+c.host, "X-Forwarded-Host: portico.test")
			if w.Code != c.status {
				t.Errorf("status %d, want %d: %s", w.Code, c.status, w.Body)
			}
			if c.status == 421 && problemOf(t, w.Body.Bytes()).Code != server.CodeHost {
				t.Errorf("body %s", w.Body)
			}
		})
	}
}

func TestHost_LoopbackDocumentsMoveToThePublicName(t *testing.T) {
	t.Parallel()
	k := newKit(t, "http://localhost:8080")
	k.Handle("GET /auth/signin", ok)
	k.Handle("POST /auth/signin", ok)
	cases := []struct {
		method, host, accept string
		status               int
		location             string
	}{
		{"GET", "127.0.0.1:8080", "text/html", 307, "http://localhost:8080/auth/signin?return_to=%2Fa"},
		{"GET", "[::1]:8080", "text/html", 307, "http://localhost:8080/auth/signin?return_to=%2Fa"},
		{"GET", "127.0.0.1:8080", "application/json", 200, ""},
		{"GET", "localhost:8080", "text/html", 200, ""},
		{"POST", "127.0.0.1:8080", "text/html", 403, ""},
	}
	for _, c := range cases {
		t.Run(c.method+" "+c.host+" "+c.accept, func(t *testing.T) {
			t.Parallel()
			w := k.do(c.method, "/auth/signin?return_to=%2Fa", "", "Host: "+c.host, "Accept: "+c.accept, "Origin: http://"+c.host)
			if w.Code != c.status || w.Header().Get("Location") != c.location {
				t.Errorf("status %d to %q, want %d to %q", w.Code, w.Header().Get("Location"), c.status, c.location)
			}
		})
	}
}
