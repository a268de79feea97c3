package federation

import (
	"context"
	"sync"
	"time"

	"portico/internal/clock"
)

const (
	pause      = 5 * time.Second  // after a failed load, no other load starts for this long
	renewEvery = 30 * time.Second // at most one load out of turn in this time
	keepFor    = 24 * time.Hour   // a document is used this long when it cannot be loaded again
)

// document is something that a provider publishes. The first caller loads it.
// Later callers get the kept value. Only one load runs at a time.
type document[T any] struct {
	load  func(context.Context) (T, error)
	ttl   time.Duration
	clock clock.Clock
	turn  chan struct{} // holds one element while a load runs

	mu      sync.Mutex // guards what follows
	value   T
	edition int       // counts the good loads
	loaded  time.Time // of value; zero: never
	renewed time.Time // of the last good load out of turn
	failed  time.Time // of err
	err     error     // of the last load; nil after a good one
}

func newDocument[T any](c clock.Clock, ttl time.Duration, load func(context.Context) (T, error)) *document[T] {
	return &document[T]{load: load, ttl: ttl, clock: c, turn: make(chan struct{}, 1)}
}

// current returns the document. It loads the document again after its time to
// live. While that fails, the last good one stays in use.
func (d *document[T]) current(ctx context.Context) (T, error) {
	value, _, err := d.get(ctx, d.held)
	return value, err
}

// seen returns the number of the newest edition.
func (d *document[T]) seen() int {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.edition
}

// newer returns an edition after the given one. It is for a caller that misses
// something in that edition (OpenID Connect Core 10.1.1). Bad tokens must not
// cause a load each, so there is at most one in renewEvery.
func (d *document[T]) newer(ctx context.Context, edition int) (T, error) {
	value, loaded, err := d.get(ctx, func() (T, error, bool) { return d.heldAfter(edition) })
	if loaded && err == nil {
		d.mu.Lock()
		d.renewed = d.clock.Now()
		d.mu.Unlock()
	}
	return value, err
}

// get returns what held has, or loads the document.
func (d *document[T]) get(ctx context.Context, held func() (T, error, bool)) (value T, loaded bool, err error) {
	if value, err, ok := held(); ok {
		return value, false, err
	}
	select {
	case d.turn <- struct{}{}:
		defer func() { <-d.turn }()
	case <-ctx.Done():
		return value, false, ctx.Err()
	}
	if value, err, ok := held(); ok {
		return value, false, err // another caller has loaded it meanwhile
	}
	// A visitor who closes the page must not make the provider look dead to
	// others: the load goes on, within the time limit of the client.
	value, err = d.load(context.WithoutCancel(ctx))
	d.keep(value, err)
	if err != nil {
		value, err, _ = held()
	}
	return value, true, err
}

// held returns what current can answer without a load: a document within its
// time to live, or the outcome of a load that failed a moment ago.
func (d *document[T]) held() (value T, err error, ok bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	now := d.clock.Now()
	age := now.Sub(d.loaded)
	switch {
	case age <= d.ttl:
		return d.value, nil, true
	case d.err == nil || now.Sub(d.failed) >= pause:
		return value, nil, false
	case age <= keepFor:
		return d.value, nil, true
	}
	return value, d.err, true
}

// heldAfter returns what newer can answer without a load.
func (d *document[T]) heldAfter(edition int) (value T, err error, ok bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	now := d.clock.Now()
	switch {
	case d.edition > edition:
		return d.value, nil, true
	case d.err != nil && now.Sub(d.failed) < pause:
		return value, d.err, true
	case d.err == nil && now.Sub(d.renewed) < renewEvery:
		return d.value, nil, true
	}
	return value, nil, false
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
	d.edition++
}
