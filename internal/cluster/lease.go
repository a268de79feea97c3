package cluster

import (
	"context"
	"sync"
	"time"

	"portico/internal/clock"
	"portico/internal/ids"
)

const (
	// LeaseBeat is the longest pause between two calls of Hold by a holder.
	LeaseBeat = 10 * time.Second
	// LeaseFree is how long a beat stands still until any process may take the
	// lease. With LeaseBeat it bounds the time without a holder: 40 seconds.
	LeaseFree = 30 * time.Second
)

// LeaseStore is what a Lease needs of a transaction.
type LeaseStore interface {
	// LeaseHolder returns the holder and its beat; the owner is "" when there
	// is none.
	LeaseHolder(ctx context.Context, name string) (owner string, beat int64, err error)
	// TakeLease makes owner the holder and raises the beat if the beat is still
	// the given one, or if owner is the holder: the beat may then be of another
	// transaction of its own. It reports whether it was.
	TakeLease(ctx context.Context, name, owner string, beat int64) (bool, error)
}

// Lease is one process's part in a lease. It is safe for concurrent use.
type Lease struct {
	name string
	self string

	mu    sync.Mutex
	owner string     // the holder that we saw last
	beat  int64      // its beat then
	since clock.Mark // when we first saw both
}

// NewLease returns a Lease that is not held.
func NewLease(name string) *Lease {
	return &Lease{name: name, self: ids.New(), since: clock.Here()}
}

// Hold takes the lease or keeps it, and reports whether the caller may do the
// work in this transaction.
func (l *Lease) Hold(ctx context.Context, tx LeaseStore) (bool, error) {
	owner, beat, err := tx.LeaseHolder(ctx, l.name)
	if err != nil || !l.free(owner, beat) {
		return false, err
	}
	return tx.TakeLease(ctx, l.name, l.self, beat)
}

// free reports whether the lease is ours or available, and remembers since when
// the holder looks the same.
func (l *Lease) free(owner string, beat int64) bool {
	if owner == l.self || owner == "" {
		return true
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if owner != l.owner || beat != l.beat {
		l.owner, l.beat, l.since = owner, beat, clock.Here()
	}
	return l.since.Age() >= LeaseFree
}

// Release gives the lease back, so that the next holder need not wait.
func (l *Lease) Release(ctx context.Context, tx LeaseStore) error {
	owner, beat, err := tx.LeaseHolder(ctx, l.name)
	if err != nil || owner != l.self {
		return err
	}
	_, err = tx.TakeLease(ctx, l.name, "", beat)
	return err
}
