// Package testform says in which form the tests run. The short form is for every
// change: few samples, no long waits. The full form takes every sample and round
// and judges figures; `make security` and `make faults` run it.
//
// PORTICO_TESTS=full selects the full form of all suites. Nothing else does.
package testform

import (
	"os"
	"time"
)

// Full reports whether the full form runs.
func Full() bool { return os.Getenv("PORTICO_TESTS") == "full" }

// Limit returns how long something may take that is promised within a time. The
// full form has the machine for itself and judges the promise. The short form
// shares it, so the limit is five times as long: it finds a wait that nothing
// ends, and never a slow machine.
func Limit(promised time.Duration) time.Duration {
	if Full() {
		return promised
	}
	return 5 * promised
}

// Patience is how long a test waits for what must come before it fails. Nothing
// that works takes so long, also on a machine that does ten other things.
const Patience = 2 * time.Minute
