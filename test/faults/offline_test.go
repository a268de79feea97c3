package faults

import (
	"crypto/ecdsa"
	"encoding/json"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"sync"
	"testing"
	"time"

	"github.com/go-jose/go-jose/v4"
	"github.com/go-jose/go-jose/v4/jwt"

	"portico/internal/clock"
	"portico/internal/config"
	"portico/internal/flow"
	"portico/internal/testform"
)

// offline is the strictest verifier that the documents allow. It keeps the keys
// for as long as it may, and does not fetch them for an unknown key.
type offline struct {
	origin  string
	keys    map[string]any // by key id
	fetched time.Time
	maxAge  time.Duration
}

// refresh fetches the keys when they have reached their maximum age.
func (o *offline) refresh(now time.Time) error {
	if now.Before(o.fetched.Add(o.maxAge)) {
		return nil
	}
	answer, err := http.Get(o.origin + "/.well-known/jwks.json")
	if err != nil {
		return err
	}
	defer answer.Body.Close()
	var seconds int
	if _, err := fmt.Sscanf(answer.Header.Get("Cache-Control"), "public, max-age=%d", &seconds); err != nil {
		return err
	}
	var set jose.JSONWebKeySet
	if err := json.NewDecoder(answer.Body).Decode(&set); err != nil {
		return err
	}
	o.keys, o.fetched, o.maxAge = map[string]any{}, now, time.Duration(seconds)*time.Second
	for _, key := range set.Keys {
		o.keys[key.KeyID] = key.Key
	}
	return nil
}

// held is a token that an app received.
type held struct {
	parsed *jwt.JSONWebToken
	kid    string
	ends   time.Time
}

// holder is an app that keeps every token that it receives.
type holder struct {
	mu     sync.Mutex
	tokens map[string]held
	asked  int
	newest string // the key id of the last token
	broken error
}

func (h *holder) ServeHTTP(_ http.ResponseWriter, r *http.Request) {
	token := r.Header.Get("X-Portico-Token")
	if token == "" {
		return // Portico's own probe of the app
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	h.asked++
	if _, known := h.tokens[token]; known {
		return
	}
	var claims jwt.Claims
	parsed, err := jwt.ParseSigned(token, []jose.SignatureAlgorithm{jose.ES256})
	if err == nil {
		err = parsed.UnsafeClaimsWithoutVerification(&claims)
	}
	if err != nil {
		h.broken = err
		return
	}
	h.newest = parsed.Headers[0].KeyID
	h.tokens[token] = held{parsed, h.newest, claims.Expiry.Time()}
}

// visits returns the number of requests that the app received.
func (h *holder) visits() int {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.asked
}

// signer returns the key id of the last token.
func (h *holder) signer() string {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.newest
}

// judge lets a verifier check every valid token. It returns how many it
// checked, and the keys that it did not know.
func (h *holder) judge(o *offline, now time.Time) (judged int, unknown []string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for token, t := range h.tokens {
		if !t.ends.After(now) {
			delete(h.tokens, token)
			continue
		}
		judged++
		key, _ := o.keys[t.kid].(*ecdsa.PublicKey)
		if key == nil || t.parsed.Claims(key) != nil {
			unknown = append(unknown, t.kid)
		}
	}
	return judged, unknown
}

// The key is rotated as fast as possible while users visit an app. Its
// verifiers keep the published keys for the maximum time, each from another
// minute on. None of them may refuse a valid token. After a revocation, none
// may accept a token of the revoked key once its keys have expired.
func TestFLT14_Rotation(t *testing.T) {
	announce(t)
	t.Parallel()
	app := &holder{tokens: map[string]held{}}
	upstream := httptest.NewServer(app)
	t.Cleanup(upstream.Close)
	c := clock.NewManual(time.Date(2026, 5, 4, 10, 0, 0, 0, time.UTC))
	in := runInside(t, c, slog.New(slog.DiscardHandler), func(cfg *config.Config) {
		cfg.App.Upstream, _ = url.Parse(upstream.URL)
	})
	people := in.visitors(3)
	defer people.leave()
	verifiers := make([]*offline, 5)
	for i := range verifiers {
		verifiers[i] = &offline{origin: in.origin}
	}

	minute, judged := 0, 0
	passes := func() (refused []string) {
		c.Advance(time.Minute)
		if err := in.app.Operator.FollowKeys(t.Context()); err != nil { // as the server does every few seconds
			t.Fatal(err)
		}
		before := app.visits()
		if !eventually(testform.Patience, func() bool { return app.visits() >= before+6 }) {
			t.Fatal("no visitor reaches the app anymore")
		}
		for i, o := range verifiers {
			if minute < i {
				continue
			}
			if err := o.refresh(c.Now()); err != nil {
				t.Fatal(err)
			}
			n, unknown := app.judge(o, c.Now())
			judged += n
			refused = append(refused, unknown...)
		}
		minute++
		return refused
	}
	rotations, signers := rounds(5, 50), map[string]bool{}
	for range rotations {
		key, err := in.app.Operator.RotateKey(t.Context(), flow.ByOperator)
		if err != nil {
			t.Fatal(err)
		}
		for began := minute; app.signer() != key.ID; {
			if refused := passes(); len(refused) > 0 {
				t.Fatalf("%d valid tokens are refused, of the keys %v", len(refused), refused)
			}
			if minute > began+30 {
				t.Fatal("the new key does not sign after half an hour")
			}
		}
		signers[key.ID] = true
	}
	for range 10 { // each token of the last key but one has expired
		if refused := passes(); len(refused) > 0 {
			t.Fatalf("%d valid tokens are refused, of the keys %v", len(refused), refused)
		}
	}

	exposed := app.signer()
	if err := in.app.Operator.RevokeKey(t.Context(), flow.ByOperator, exposed); err != nil {
		t.Fatal(err)
	}
	revoked := c.Now()
	for c.Now().Before(revoked.Add(verifiers[0].maxAge)) {
		passes() // a new key signs, and no verifier knows it yet
	}
	for i, o := range verifiers {
		if o.keys[exposed] != nil {
			t.Errorf("verifier %d accepts the revoked key %v after it was revoked, and keeps keys for %v", i, c.Now().Sub(revoked), o.maxAge)
		}
	}
	if refused := passes(); len(refused) > 0 || app.broken != nil {
		t.Errorf("afterwards %d tokens are refused (%v)", len(refused), app.broken)
	}
	people.leave()
	t.Logf("FLT-14: %d rotations, %d tokens judged by %d verifiers in %d visits, none refused; no verifier accepts a revoked key after %v",
		len(signers), judged, len(verifiers), app.visits(), verifiers[0].maxAge)
}
