// Package clock is the only source of the time of day. Rooms receive a Clock,
// so that tests choose the time.
package clock

import (
	"sync"
	"time"
)

// MaxSkew is the most by which a stored time may be ahead of the clock, because
// two machines never agree entirely. A later time comes from a clock that was
// wrong or has been set back.
const MaxSkew = 5 * time.Minute

// FarFuture is larger than any plausible correction of a clock.
const FarFuture = 7 * 24 * time.Hour

// Uncorrected is the difference between a machine's clock and the database server's up
// to which the nodes do not correct it. Two nodes may differ by twice as much.
const Uncorrected = 10 * time.Second

// Ahead reports whether a stored time is in the future of this clock.
func Ahead(written, now time.Time) bool { return written.After(now.Add(MaxSkew)) }

// Valid reports whether what ends at a time, and lasts for a life at most, works now. What was made in the future of
// this clock does not: after the clock was set back, it would work for longer.
func Valid(ends time.Time, life time.Duration, now time.Time) bool {
	return now.Before(ends) && !Ahead(ends.Add(-life), now)
}

// Clock tells the time. Implementations are safe for concurrent use.
type Clock interface {
	Now() time.Time
}

// System is the machine's clock, in UTC and whole microseconds. The store keeps
// that precision, so a time that is read back equals the one written.
type System struct{}

func (System) Now() time.Time { return time.Now().UTC().Truncate(time.Microsecond) }

// Skewed is the clock of a machine that is wrong: ahead, or behind if By is negative.
type Skewed struct{ By time.Duration }

func (s Skewed) Now() time.Time { return System{}.Now().Add(s.By) }

// Manual is a clock that stands still until it is told otherwise.
type Manual struct {
	mu  sync.Mutex
	now time.Time
}

// NewManual returns a Manual clock that shows t.
func NewManual(t time.Time) *Manual {
	return &Manual{now: t.UTC().Truncate(time.Microsecond)}
}

func (m *Manual) Now() time.Time {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.now
}

// Advance moves the clock by d, backwards when d is negative.
func (m *Manual) Advance(d time.Duration) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.now = m.now.Add(d).Truncate(time.Microsecond)
}
