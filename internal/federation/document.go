package federation

import (
	"context"
	"sync"
	"time"

	"portico/internal/clock"
)

const (
	pause      = 5 * time.Second  // after a failed load: a provider that is down is asked this often
	renewEvery = 30 * time.Second // a document is loaded again out of turn this often at most
	keepFor    = 24 * time.Hour   // a document is used this long when it cannot be loaded again
)

// document is something that a provider publishes. It is loaded when it is
// first needed, once at a time however many wait for it, and kept.
type document[T any] struct {
	load  func(context.Context) (T, error)
	ttl   time.Duration
	clock clock.Clock
	turn  chan struct{} // holds one element while a load runs

	mu     sync.Mutex // guards what follows
	value  T
	loaded time.Time // of value; zero: never
	failed time.Time // of err
	err    error     // of the last load; nil after a good one
}

func newDocument[T any](c clock.Clock, ttl time.Duration, load func(context.Context) (T, error)) *document[T] {
	return &document[T]{load: load, ttl: ttl, clock: c, turn: make(chan struct{}, 1)}
}

// current returns the document, loaded again when it is older than its time to
// live. While it cannot be loaded, the last good one stays in use.
func (d *document[T]) current(ctx context.Context) (T, error) {
	return d.get(ctx, d.ttl, keepFor)
}

// renewed returns the document as it is now, give or take renewEvery: for a
// reader who has found that it lacks something (OpenID Connect Core 10.1.1).
func (d *document[T]) renewed(ctx context.Context) (T, error) {
	return d.get(ctx, renewEvery, renewEvery)
}

// get returns a document that is at most fresh old, or at most stale old when
// none can be loaded.
func (d *document[T]) get(ctx context.Context, fresh, stale time.Duration) (T, error) {
	if value, err, ok := d.held(fresh, stale); ok {
		return value, err
	}
	select {
	case d.turn <- struct{}{}:
		defer func() { <-d.turn }()
	case <-ctx.Done():
		var none T
		return none, ctx.Err()
	}
	if value, err, ok := d.held(fresh, stale); ok {
		return value, err // loaded by whoever had the turn before
	}
	// A person who walks away must not make the provider look dead to others:
	// the load goes on, within the time limit of the client.
	value, err := d.load(context.WithoutCancel(ctx))
	d.keep(value, err)
	value, err, _ = d.held(fresh, stale)
	return value, err
}

// held returns what can be answered without a load: a fresh document, or the
// outcome of a load that failed a moment ago.
func (d *document[T]) held(fresh, stale time.Duration) (T, error, bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	now := d.clock.Now()
	age := now.Sub(d.loaded)
	if age <= fresh {
		return d.value, nil, true
	}
	if d.err == nil || now.Sub(d.failed) >= pause {
		var none T
		return none, nil, false
	}
	if age <= stale {
		return d.value, nil, true
	}
	var none T
	return none, d.err, true
}

func (d *document[T]) keep(value T, err error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.err = err
	if err != nil {
		d.failed = d.clock.Now()
		return
	}
	d.value, d.loaded = value, d.clock.Now()
}
