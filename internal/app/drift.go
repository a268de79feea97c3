package app

import (
	"time"

	"portico/internal/clock"
)

const (
	driftEvery = 5 * time.Second

	// jump is the change of the clock between two checks that is logged.
	jump = time.Minute
	// longJump is the total change after which purging stops.
	longJump = 24 * time.Hour
)

// watchClock logs a jump of the clock. It returns false if the clock is too wrong to
// purge by: with a wrong year, a purge would delete the audit log.
func (a *App) watchClock(d *clock.Drift) (trusted bool) {
	since, all := d.Look()
	trusted = all < longJump
	if since.Abs() > jump {
		a.log.Error("the clock of this machine has jumped: set it right, and start again",
			"by", since.Round(time.Second).String(), "deletes_what_is_old", trusted)
	}
	return trusted
}
