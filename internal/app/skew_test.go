package app

import (
	"testing"
	"time"

	"portico/internal/clock"
)

// A command on a machine whose clock is wrong gives times that the nodes take as
// they are meant.
func TestNew_UsesTheClockOfTheDatabase(t *testing.T) {
	t.Parallel()
	cfg := settingsOnPostgres(t)
	a := open(t, cfg, Options{Dist: dist(), Clock: clock.Skewed{By: 30 * time.Minute}})
	if ahead := time.Until(a.clock.Now()); ahead.Abs() > 20*time.Minute {
		t.Errorf("the clock of an App that does not serve is %s ahead", ahead)
	}
	a.end(t)
}
