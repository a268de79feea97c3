package clock

import "time"

// Mark is an instant of this process, to tell how long ago it was. Waits and
// leases are measured so, and not by a Clock, which somebody may set.
type Mark struct{ at time.Time }

// Here returns the mark of this instant.
func Here() Mark { return Mark{time.Now()} }

// Age returns how long ago the mark was made: the longer of what the machine
// has counted, which stands still while it is suspended, and of what the time of
// day says, which may have been set back.
func (m Mark) Age() time.Duration {
	now := time.Now()
	return max(now.Sub(m.at), now.Round(0).Sub(m.at.Round(0)))
}
