package document

import (
	"context"
	"math"
	"sync"
	"time"
)

// How often a document is loaded.
const (
	Pause      = 5 * time.Second  // after a failed load, no other load starts for this long
	RenewEvery = 30 * time.Second // at most one load out of turn in this time
	KeepFor    = 24 * time.Hour   // a document is used this long when it cannot be loaded again
)

// Kept is a document of another server. The first caller loads it. Later callers get
// the kept value. Only one load runs at a time. It is safe for concurrent use.
type Kept[T any] struct {
	load func(context.Context) (T, error)
	ttl  time.Duration
	now  func() time.Time
	turn chan struct{} // holds one element while a load runs

	mu      sync.Mutex // guards what follows
	value   T
	edition int       // counts the good loads
	loaded  time.Time // of value; zero: never
	renewed time.Time // of the last good load out of turn
	failed  time.Time // of err
	err     error     // of the last load; nil after a good one
}

// New returns a document that load loads.
func New[T any](now func() time.Time, ttl time.Duration, load func(context.Context) (T, error)) *Kept[T] {
	return &Kept[T]{load: load, ttl: ttl, now: now, turn: make(chan struct{}, 1)}
}

// Current returns the document. It loads the document again after its time to
// live. While that fails, the last good one stays in use.
func (d *Kept[T]) Current(ctx context.Context) (T, error) {
	value, _, err := d.get(ctx, d.held)
	return value, err
}

// Seen returns the number of the newest edition.
func (d *Kept[T]) Seen() int {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.edition
}

// Newer returns an edition after the given one. It is for a caller that misses
// something in that edition (OpenID Connect Core 10.1.1). Bad tokens must not
// cause a load each, so there is at most one in RenewEvery.
func (d *Kept[T]) Newer(ctx context.Context, edition int) (T, error) {
	value, loaded, err := d.get(ctx, func() (T, error, bool) { return d.heldAfter(edition) })
	if loaded && err == nil {
		d.mu.Lock()
		d.renewed = d.now()
		d.mu.Unlock()
	}
	return value, err
}

// get returns what held has, or loads the document.
func (d *Kept[T]) get(ctx context.Context, held func() (T, error, bool)) (value T, loaded bool, err error) {
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
	// A visitor who closes the page must not make the other server look dead to
	// others: the load goes on, within the time limit of the client.
	value, err = d.load(context.WithoutCancel(ctx))
	d.keep(value, err)
	if kept, known, ok := held(); ok && err != nil {
		value, err = kept, known
	}
	return value, true, err
}

// held returns what Current can answer without a load: a document within its
// time to live, or the outcome of a load that failed a moment ago.
func (d *Kept[T]) held() (value T, err error, ok bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	now := d.now()
	switch {
	case age(d.loaded, now) <= d.ttl:
		return d.value, nil, true
	case d.err == nil || age(d.failed, now) >= Pause:
		return value, nil, false
	case now.Sub(d.loaded).Abs() <= KeepFor: // the other server may be down when the clock is set back
		return d.value, nil, true
	}
	return value, d.err, true
}

// age returns how long ago a moment was. One ahead is as old as can be: the clock was set back, and nobody knows.
func age(at, now time.Time) time.Duration {
	if at.After(now) {
		return math.MaxInt64
	}
	return now.Sub(at)
}

// heldAfter returns what Newer can answer without a load.
func (d *Kept[T]) heldAfter(edition int) (value T, err error, ok bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	now := d.now()
	switch {
	case d.edition > edition:
		return d.value, nil, true
	case d.err != nil && age(d.failed, now) < Pause:
		return value, d.err, true
	case d.err == nil && age(d.renewed, now) < RenewEvery:
		return d.value, nil, true
	}
	return value, nil, false
}

func (d *Kept[T]) keep(value T, err error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.err = err
	if err != nil {
		d.failed = d.now()
		return
	}
	d.value, d.loaded = value, d.now()
	d.edition++
}
