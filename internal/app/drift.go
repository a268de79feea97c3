package app

import (
	"time"

	"portico/internal/clock"
)

const (
	driftEvery = 5 * time.Second

	// jump is what the clock may gain or lose between two looks before the
	// operator is told.
	jump = time.Minute
	// longJump is what it may gain in all before nothing is deleted any more for
	// being old.
	longJump = 24 * time.Hour
)

// watch reports a jump of the clock to the operator, and whether the clock is
// one to delete by: a year that is wrong would take the record with it.
func (a *App) watch(d *clock.Drift) (trusted bool) {
	since, all := d.Look()
	trusted = all < longJump
	if since.Abs() > jump {
		a.log.Error("the clock of this machine has jumped: set it right, and start again",
			"by", since.Round(time.Second).String(), "deletes_what_is_old", trusted)
	}
	return trusted
}
