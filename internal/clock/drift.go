package clock

import (
	"sync"
	"time"
)

// Drift compares a clock with monotonic time, which no setting of the clock
// changes. It is safe for concurrent use.
type Drift struct {
	clock Clock

	mu     sync.Mutex
	shown  time.Time // by the clock, at the last look
	looked time.Time // monotonic, at the last look
	gained time.Duration
}

// NewDrift begins to watch a clock.
func NewDrift(c Clock) *Drift { return &Drift{clock: c, shown: c.Now(), looked: time.Now()} }

// Look returns how much the clock has gained on monotonic time since the last
// look, and since the first. Negative values mean that the clock was set back.
func (d *Drift) Look() (since, all time.Duration) {
	d.mu.Lock()
	defer d.mu.Unlock()
	shown, passed := d.clock.Now(), time.Since(d.looked)
	since = shown.Sub(d.shown) - passed
	d.shown, d.looked = shown, d.looked.Add(passed)
	d.gained += since
	return since, d.gained
}
