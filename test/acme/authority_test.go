package acme

import (
	"bytes"
	"crypto/x509"
	"encoding/pem"
	"fmt"
	"io"
	"log"
	"math/rand/v2"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/letsencrypt/pebble/v2/ca"
	"github.com/letsencrypt/pebble/v2/db"
	"github.com/letsencrypt/pebble/v2/va"
	"github.com/letsencrypt/pebble/v2/wfe"
	"github.com/miekg/dns"
)

// authority is a Pebble that finds every name on this machine.
type authority struct {
	directory string
	trust     string // file with the certificate of its own server
	roots     *x509.CertPool
	requests  atomic.Int64
	down      atomic.Bool
	log       *buffer
}

// newAuthority starts a Pebble that validates at the ports, and whose
// certificates are valid for so many seconds.
func newAuthority(t *testing.T, httpPort, tlsPort int, seconds uint64) *authority {
	t.Helper()
	t.Setenv("PEBBLE_VA_NOSLEEP", "1")
	a := &authority{log: &buffer{}, roots: x509.NewCertPool()}
	logger := log.New(a.log, "", 0)
	store := db.NewMemoryStore()
	issuer := ca.New(logger, store, "", "ecdsa", 0, 1, map[string]ca.Profile{"default": {ValidityPeriod: seconds}})
	front := wfe.New(logger, store, va.New(logger, httpPort, tlsPort, true, resolver(t), store), issuer, []string{"authority.test"}, true, false, 1, 1)
	handler := front.Handler()
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		a.requests.Add(1)
		if a.down.Load() {
			http.Error(w, "down", http.StatusServiceUnavailable)
			return
		}
		handler.ServeHTTP(w, r)
	}))
	server.Config.ErrorLog = log.New(io.Discard, "", 0)
	server.StartTLS()
	t.Cleanup(server.Close)
	a.directory = server.URL + wfe.DirectoryPath
	a.trust = filepath.Join(t.TempDir(), "authority.pem")
	own := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: server.Certificate().Raw})
	if err := os.WriteFile(a.trust, own, 0o600); err != nil {
		t.Fatal(err)
	}
	if !a.roots.AppendCertsFromPEM(issuer.GetRootCert(0).PEM()) {
		t.Fatal("Pebble has no root certificate")
	}
	return a
}

// resolver starts a DNS server that answers every name with 127.0.0.1.
func resolver(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0") // Pebble asks by TCP
	if err != nil {
		t.Fatal(err)
	}
	server := &dns.Server{Listener: l, Handler: dns.HandlerFunc(func(w dns.ResponseWriter, q *dns.Msg) {
		m := new(dns.Msg)
		m.SetReply(q)
		if q.Question[0].Qtype == dns.TypeA {
			r, _ := dns.NewRR(q.Question[0].Name + " 60 IN A 127.0.0.1")
			m.Answer = append(m.Answer, r)
		}
		_ = w.WriteMsg(m)
	})}
	go func() { _ = server.ActivateAndServe() }()
	t.Cleanup(func() { _ = server.Shutdown() })
	return l.Addr().String()
}

// freePort returns an unused port below the range that Linux gives to outgoing connections.
// A port of that range could be taken before Portico listens.
func freePort(t *testing.T) int {
	t.Helper()
	for range 100 {
		port := 20000 + rand.IntN(12000)
		if l, err := net.Listen("tcp", local(port)); err == nil {
			_ = l.Close()
			return port
		}
	}
	t.Fatal("no port is free")
	return 0
}

func local(port int) string { return fmt.Sprintf("127.0.0.1:%d", port) }

// buffer is a log that several goroutines write.
type buffer struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (b *buffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.text.Write(p)
}

func (b *buffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.text.String()
}
