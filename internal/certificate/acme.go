package certificate

import (
	"context"
	"crypto/tls"
	"errors"
	"log/slog"
	"maps"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"golang.org/x/crypto/acme"
	"golang.org/x/crypto/acme/autocert"
)

const (
	// round is how often the names are looked at: an app that a reload adds gets
	// its certificate within this time.
	round = 5 * time.Second

	// firstWait and longestWait bound the time between two attempts for a name.
	// An authority stops answering a client that fails too often.
	firstWait   = time.Minute
	longestWait = time.Hour

	// patience is how long an attempt may take before the next name has its turn.
	// The manager goes on with it for minutes.
	patience = 20 * time.Second
)

// ACMEConfig configures an ACME source. All fields but Email are required.
type ACMEConfig struct {
	Directory string // URL of the authority's directory
	Email     string // contact for the authority; "" for none
	Folder    string // for the certificates and the account key
	Hosts     func() []string
	HTTP      *http.Client
	Now       func() time.Time
	Log       *slog.Logger
}

// ACME is a Source that gets and renews certificates (RFC 8555) by the challenges
// TLS-ALPN-01 and HTTP-01.
type ACME struct {
	cfg     ACMEConfig
	manager *autocert.Manager

	mu     sync.Mutex
	byName map[string]*held
}

// held is what is known about a name.
type held struct {
	pair *tls.Certificate // nil without a certificate
	err  error
	wait time.Duration // after the last failure
	next time.Time     // of the next attempt
}

// due reports whether the next attempt is due. No attempt is postponed for more than
// longestWait: the clock was set back.
func (h *held) due(now time.Time) bool {
	return !now.Before(h.next) || h.next.Sub(now) > longestWait
}

// NewACME returns a source without certificates. Watch gets them.
func NewACME(cfg ACMEConfig) *ACME {
	a := &ACME{cfg: cfg, byName: make(map[string]*held)}
	a.manager = &autocert.Manager{
		Prompt: autocert.AcceptTOS, Cache: autocert.DirCache(cfg.Folder), Email: cfg.Email,
		HostPolicy: a.allow,
		Client:     &acme.Client{DirectoryURL: cfg.Directory, HTTPClient: cfg.HTTP, UserAgent: "Portico"},
	}
	return a
}

var errNoAnswer = errors.New("the authority has not given it yet, or does not answer")

// allow is a second lock: the names come from Hosts anyway. A request by HTTP has
// a port if the listener has another one than 80.
func (a *ACME) allow(_ context.Context, host string) error {
	host, _, _ = strings.Cut(host, ":")
	if !slices.Contains(a.cfg.Hosts(), host) {
		return ErrUnknown
	}
	return nil
}

// TLS implements Source.
func (a *ACME) TLS() *tls.Config { return settings(a.get, acme.ALPNProto) }

// get answers a handshake. A challenge of the authority gets the certificate of
// the challenge, every other client what is in memory.
func (a *ACME) get(hello *tls.ClientHelloInfo) (*tls.Certificate, error) {
	if len(hello.SupportedProtos) == 1 && hello.SupportedProtos[0] == acme.ALPNProto {
		return a.manager.GetCertificate(hello) // only looks for the token
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	if h := a.byName[strings.ToLower(strings.TrimSuffix(hello.ServerName, "."))]; h != nil && h.pair != nil {
		return h.pair, nil
	}
	return nil, ErrUnknown
}

// Challenges answers the authority's requests by HTTP, and passes every other
// one to next.
func (a *ACME) Challenges(next http.Handler) http.Handler { return a.manager.HTTPHandler(next) }

// Watch implements Source.
func (a *ACME) Watch(ctx context.Context) {
	a.look(ctx)
	ticker := time.NewTicker(round)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
			a.look(ctx)
		}
	}
}

// look gets what is missing and takes what was renewed. The manager renews in
// the background, once it has a certificate.
func (a *ACME) look(ctx context.Context) {
	hosts := a.cfg.Hosts()
	a.mu.Lock()
	maps.DeleteFunc(a.byName, func(name string, _ *held) bool { return !slices.Contains(hosts, name) })
	a.mu.Unlock()
	for _, host := range hosts {
		if ctx.Err() != nil {
			return
		}
		a.mu.Lock()
		h := a.byName[host]
		if h == nil {
			h = &held{}
			a.byName[host] = h
		}
		due := h.due(a.cfg.Now())
		a.mu.Unlock()
		if due {
			a.attempt(ctx, host, h)
		}
	}
}

// attempt asks the manager, which answers from its memory, from the folder, or
// from the authority.
func (a *ACME) attempt(ctx context.Context, host string, h *held) {
	pair, err := a.ask(ctx, host)
	a.mu.Lock()
	defer a.mu.Unlock()
	now := a.cfg.Now()
	switch {
	case err != nil:
		h.wait = min(longestWait, max(firstWait, 2*h.wait))
		h.next, h.err = now.Add(h.wait), err
		if ctx.Err() == nil {
			a.cfg.Log.Error("no certificate for a host", "host", host, "error", err, "next_attempt_in", h.wait.String())
		}
		return
	case h.pair == nil || !h.pair.Leaf.NotAfter.Equal(pair.Leaf.NotAfter):
		a.cfg.Log.Info("a new certificate is in use", "host", host, "expires", pair.Leaf.NotAfter)
	}
	h.pair, h.wait, h.next, h.err = pair, 0, now, nil
}

// ask returns when the manager does or when ctx ends. The manager takes no
// context; it gives up by itself.
func (a *ACME) ask(ctx context.Context, host string) (*tls.Certificate, error) {
	type answer struct {
		pair *tls.Certificate
		err  error
	}
	answers := make(chan answer, 1)
	go func() {
		pair, err := a.manager.GetCertificate(&tls.ClientHelloInfo{
			ServerName: host, CipherSuites: []uint16{tls.TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256}, // always an ECDSA key
		})
		answers <- answer{pair, err}
	}()
	timer := time.NewTimer(patience)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil, errNoAnswer
	case got := <-answers:
		if got.err == nil && got.pair.Leaf == nil {
			got.err = errors.New("the certificate cannot be read")
		}
		return got.pair, got.err
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// States implements Source.
func (a *ACME) States() []State {
	a.mu.Lock()
	defer a.mu.Unlock()
	var all []State
	for _, name := range slices.Sorted(maps.Keys(a.byName)) {
		h := a.byName[name]
		s := State{Name: name, Err: h.err}
		if h.pair != nil {
			s.Expires = h.pair.Leaf.NotAfter
		}
		all = append(all, s)
	}
	return all
}
