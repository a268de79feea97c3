package faults

import (
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	client "portico.internal/clients/go"

	"portico/internal/testform"
)

// visitors are signed-in users who request a page of the app all the time.
type visitors struct {
	*place
	stop    chan struct{}
	once    sync.Once
	people  sync.WaitGroup
	lenient atomic.Bool  // whether the app may refuse them for now
	seen    atomic.Int64 // pages
	refused atomic.Int64 // refusals that were allowed
}

func (p *place) visitors(n int) *visitors {
	p.Helper()
	v := &visitors{place: p, stop: make(chan struct{})}
	for range n {
		b := p.browser()
		b.register(fresh("visitor"))
		v.people.Go(func() { v.visit(b) })
	}
	return v
}

func (v *visitors) visit(b *browser) {
	defer b.close()
	for {
		select {
		case <-v.stop:
			return
		case <-time.After(5 * time.Millisecond):
		}
		lenient := v.lenient.Load()
		a, err := b.send("GET", "/page", "", "")
		switch {
		case err == nil && a.status == http.StatusOK:
			v.seen.Add(1)
		case err == nil && a.status == http.StatusUnauthorized && (lenient || v.lenient.Load()):
			v.refused.Add(1)
		case err == nil && a.status >= http.StatusBadGateway: // a busy machine, unrelated to a token
		default:
			v.Errorf("a page of the app: %v %d %.200s", err, a.status, a.body)
			return
		}
	}
}

// goOn waits until the visitors have seen so many more pages.
func (v *visitors) goOn(pages int64) {
	v.Helper()
	before := v.seen.Load()
	if !eventually(testform.Patience, func() bool { return v.seen.Load() >= before+pages }) {
		v.Fatal("no visitor sees a page of the app anymore")
	}
}

func (v *visitors) leave() {
	v.once.Do(func() { close(v.stop) })
	v.people.Wait()
}

// An operator rotates the keys under load, and no visitor is refused. Then the
// operator revokes the signing key. The server signs with another key within
// seconds, and an app with our client refuses tokens of the revoked one.
func TestFLT14_Revoke(t *testing.T) {
	announce(t)
	t.Parallel()
	var verify atomic.Pointer[client.Client]
	var last atomic.Pointer[string]
	app := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		token := r.Header.Get(client.TokenHeader)
		if token == "" {
			return // Portico's own probe of the app
		}
		last.Store(&token)
		if _, err := verify.Load().Verify(r.Context(), token); err != nil {
			w.WriteHeader(http.StatusUnauthorized)
		}
	}))
	t.Cleanup(app.Close)
	p := newPlace(t, newSink(t), "PORTICO_UPSTREAM="+app.URL)
	verifier, err := client.New(p.origin, client.Options{})
	if err != nil {
		t.Fatal(err)
	}
	verify.Store(verifier)
	r := p.serve()
	people := p.visitors(3)
	defer people.leave()
	people.goOn(1)
	for range rounds(3, 12) {
		if out := p.command("keys", "rotate"); !strings.Contains(out, "upcoming") {
			t.Fatal(out)
		}
		people.goOn(20)
	}

	old := *last.Load()
	if _, err := verifier.Verify(t.Context(), old); err != nil {
		t.Fatalf("a valid token is refused: %v", err)
	}
	signing, _, _ := strings.Cut(p.signing(), "\t")
	people.lenient.Store(true) // until the app has fetched the new key
	began := time.Now()
	if out := p.command("keys", "revoke", signing); out != "revoked\t"+signing+"\n" {
		t.Fatal(out)
	}
	if !eventually(testform.Patience, func() bool {
		_, err := verifier.Verify(t.Context(), old)
		return errors.Is(err, client.ErrRefused)
	}) {
		t.Fatalf("a token of the revoked key is accepted:\n%s", r.log)
	}
	took := time.Since(began)
	people.goOn(20)
	people.lenient.Store(false)
	people.goOn(20)
	people.leave()
	t.Logf("FLT-14: %d pages; a token of a revoked key was refused after %v; meanwhile %d pages were refused for a key that the app did not know",
		people.seen.Load(), took.Round(10*time.Millisecond), people.refused.Load())
}

// signing returns the line of the signing key.
func (p *place) signing() string {
	p.Helper()
	for line := range strings.Lines(p.command("keys", "list")) {
		if strings.Contains(line, "\tsigning\t") {
			return line
		}
	}
	p.Fatal("no key signs")
	return ""
}
