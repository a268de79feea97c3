package clock

import "time"

// Mark is an instant of this process, for measuring how long ago it was. Waits
// and leases use it instead of a Clock, which can be set.
type Mark struct{ at time.Time }

// Here returns the mark of the current instant.
func Here() Mark { return Mark{time.Now()} }

// Age returns how long ago the mark was made. It is the longer of two measures:
// monotonic time stands still while the machine is suspended, and the time of
// day may have been set back.
func (m Mark) Age() time.Duration {
	now := time.Now()
	return max(now.Sub(m.at), now.Round(0).Sub(m.at.Round(0)))
}
