package client

import (
	"context"
	"crypto/ecdsa"
	"fmt"
	"log/slog"
	"sync"
	"time"
)

const (
	refreshAfter = 3 * time.Minute  // fetched again in the background
	keepFor      = 5 * time.Minute  // the maximum age of the published set; then requests wait
	staleFor     = 15 * time.Minute // while Portico does not answer
	retryAfter   = 2 * time.Second  // between two fetches
)

// keySet is the set of Portico's signing keys, fetched on demand. It is safe
// for concurrent use.
type keySet struct {
	fetch func(context.Context) (map[string]*ecdsa.PublicKey, error)
	log   *slog.Logger

	mu      sync.Mutex
	keys    map[string]*ecdsa.PublicKey // by key id; replaced, never changed
	asOf    time.Time                   // when the fetch of keys began
	tried   time.Time                   // when the last fetch began
	err     error                       // of the last fetch
	running chan struct{}               // closed when the present fetch ends; nil without one
}

func newKeySet(fetch func(context.Context) (map[string]*ecdsa.PublicKey, error), log *slog.Logger) *keySet {
	return &keySet{fetch: fetch, log: log}
}

// find returns the key with an id. It fetches the keys if they are old or lack
// the id. All waiting callers share one fetch.
func (s *keySet) find(ctx context.Context, id string) (*ecdsa.PublicKey, error) {
	s.mu.Lock()
	now := time.Now()
	key, age := s.keys[id], now.Sub(s.asOf)
	switch {
	case key != nil && age < refreshAfter:
		s.mu.Unlock()
		return key, nil
	case key != nil && (age < keepFor || s.err != nil && age < staleFor):
		s.start(now)
		s.mu.Unlock()
		return key, nil
	}
	running := s.start(now)
	s.mu.Unlock()
	if running != nil {
		select {
		case <-running:
		case <-ctx.Done():
			return nil, fmt.Errorf("%w: %w", ErrUnavailable, ctx.Err())
		}
	}
	return s.known(id)
}

// known returns the result of the last fetch.
func (s *keySet) known(id string) (*ecdsa.PublicKey, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	key, age := s.keys[id], time.Since(s.asOf)
	switch {
	case key != nil && (age < keepFor || age < staleFor && s.err != nil):
		return key, nil
	case s.err != nil:
		return nil, fmt.Errorf("%w: %w", ErrUnavailable, s.err)
	}
	return nil, fmt.Errorf("%w: it is signed with a key that Portico does not publish", ErrRefused)
}

// start begins a fetch, unless one is running or has just run: an attacker can
// invent key ids, and they must not cause a fetch each. It returns a channel
// that is closed at the end of the fetch, or nil without a fetch.
func (s *keySet) start(now time.Time) <-chan struct{} {
	if s.running != nil {
		return s.running
	}
	if now.Sub(s.tried) < retryAfter {
		return nil
	}
	s.tried = now
	done := make(chan struct{})
	s.running = done
	go func() {
		defer close(done)
		// The request's context must not cancel a fetch that other requests
		// wait for.
		keys, err := s.fetch(context.Background())
		if err != nil {
			s.log.Warn("the keys of Portico cannot be fetched: is Portico at this address?", "error", err)
		}
		s.mu.Lock()
		defer s.mu.Unlock()
		s.running, s.err = nil, err
		if err == nil {
			s.keys, s.asOf = keys, now
		}
	}()
	return done
}
