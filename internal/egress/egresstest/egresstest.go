// Package egresstest has a proxy for tests of requests that leave through one.
package egresstest

import (
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
)

// Proxy knows CONNECT only. Whatever it is asked for, it connects to one server.
type Proxy struct {
	URL string // without credentials

	mu    sync.Mutex
	asked []string
}

// NewProxy starts a proxy that connects to an address, or answers a status other than 200.
func NewProxy(t *testing.T, to string, status int) *Proxy {
	t.Helper()
	p := &Proxy{}
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		p.mu.Lock()
		p.asked = append(p.asked, strings.TrimSpace(r.Method+" "+r.Host+" "+r.Header.Get("Proxy-Authorization")))
		p.mu.Unlock()
		if status != http.StatusOK {
			w.WriteHeader(status)
			return
		}
		there, err := net.Dial("tcp", to)
		if err != nil {
			w.WriteHeader(http.StatusBadGateway)
			return
		}
		w.WriteHeader(http.StatusOK)
		here, rw, err := http.NewResponseController(w).Hijack()
		if err != nil {
			t.Error(err)
			return
		}
		go func() { _, _ = io.Copy(here, there); _ = here.Close() }()
		_, _ = io.Copy(there, rw)
		_ = there.Close()
	}))
	t.Cleanup(s.Close)
	p.URL = s.URL
	return p
}

// Asked returns the targets that it was asked for since the last call, with the credentials.
func (p *Proxy) Asked() []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	asked := p.asked
	p.asked = nil
	return asked
}
