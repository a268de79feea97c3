// Package clock is the only source of the time of day. Rooms receive a Clock,
// so that tests choose the time and no room depends on another's.
package clock

import (
	"sync"
	"time"
)

// MaxSkew is the most by which a time that was written may be ahead of the
// clock: two machines never agree entirely. What was written later than that
// comes from a clock that has been set back since, or was wrong.
const MaxSkew = 5 * time.Minute

// Ahead reports whether a time that was written is not from the past, as this
// clock tells it.
func Ahead(written, now time.Time) bool { return written.After(now.Add(MaxSkew)) }

// Clock tells the time. Implementations are safe for concurrent use.
type Clock interface {
	Now() time.Time
}

// System is the machine's clock, in UTC and whole microseconds: the precision
// that the store keeps, so that a time read back equals the one written.
type System struct{}

func (System) Now() time.Time { return time.Now().UTC().Truncate(time.Microsecond) }

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
