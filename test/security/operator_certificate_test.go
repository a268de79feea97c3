package security

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"sync/atomic"
	"testing"
	"time"

	acme "portico/internal/certificate"
)

// Handshakes for names that no operator has configured must not reach the
// authority: it stops answering a client that asks too often, and then the real
// names get no certificate anymore.
func TestSEC219_UnknownNamesReachNoAuthority(t *testing.T) {
	announce(t)
	t.Parallel()
	var asked atomic.Int64
	authority := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		asked.Add(1)
		w.WriteHeader(http.StatusForbidden)
	}))
	defer authority.Close()
	hosts := []string{}
	source := acme.NewACME(acme.ACMEConfig{
		Directory: authority.URL, Folder: t.TempDir(), Hosts: func() []string { return hosts },
		HTTP: authority.Client(), Now: time.Now, Log: slog.New(slog.DiscardHandler),
	})
	shake := func(name string, protocols ...string) error {
		client, server := net.Pipe()
		defer client.Close()
		go func() { _ = tls.Server(server, source.TLS()).HandshakeContext(t.Context()); _ = server.Close() }()
		return tls.Client(client, &tls.Config{ServerName: name, InsecureSkipVerify: true, NextProtos: protocols}).HandshakeContext(t.Context())
	}
	names := []string{"", "login.portico.test", "LOGIN.portico.test.", "evil.test", "a.evil.test", "127.0.0.1", "xn--exmple-cua.test", "*.portico.test"}
	for i := range 50 {
		names = append(names, fmt.Sprintf("sub%d.login.portico.test", i))
	}
	for _, name := range names {
		for _, protocols := range [][]string{nil, {"h2", "http/1.1"}, {"acme-tls/1"}} {
			if shake(name, protocols...) == nil {
				t.Errorf("%q gets a certificate", name)
			}
		}
	}
	// By HTTP, a challenge for a name or a token that Portico has not asked for.
	challenges := httptest.NewServer(source.Challenges(http.NotFoundHandler()))
	defer challenges.Close()
	for _, host := range []string{"evil.test", "login.portico.test"} {
		r, _ := http.NewRequestWithContext(t.Context(), http.MethodGet, challenges.URL+"/.well-known/acme-challenge/x", nil)
		r.Host = host
		if answer, err := http.DefaultClient.Do(r); err != nil || answer.StatusCode < 400 {
			t.Errorf("%s: %v %v", host, answer, err)
		}
	}
	if n := asked.Load(); n != 0 {
		t.Errorf("%d requests to the authority", n)
	}

	// The name of the operator does reach it.
	hosts = []string{"login.portico.test"}
	ctx, cancel := context.WithTimeoutCause(t.Context(), 30*time.Second, errors.New("the authority was not asked"))
	defer cancel()
	done := make(chan struct{})
	go func() { source.Watch(ctx); close(done) }()
	for asked.Load() == 0 && ctx.Err() == nil {
		time.Sleep(5 * time.Millisecond)
	}
	if asked.Load() == 0 {
		t.Error(context.Cause(ctx))
	}
	cancel()
	<-done
}
