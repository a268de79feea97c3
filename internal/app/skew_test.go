package app

import (
	"os"
	"testing"
	"time"

	"portico/internal/clock"
	"portico/internal/secret"
	"portico/internal/store/pgtest"
)

// early is the clock of a machine that is ahead.
type early struct{ by time.Duration }

func (e early) Now() time.Time { return clock.System{}.Now().Add(e.by) }

// A command on a machine whose clock is wrong gives times that the nodes take as
// they are meant.
func TestNew_UsesTheClockOfTheDatabase(t *testing.T) {
	t.Parallel()
	if os.Getenv(pgtest.Server) == "" {
		t.Skip("no PostgreSQL")
	}
	cfg := settings(t, t.TempDir())
	if onSQLite(cfg) {
		cfg.DatabaseURL = pgtest.Patient(pgtest.Empty(t))
		if _, err := secret.CreateKey(cfg.SecretFile); err != nil {
			t.Fatal(err)
		}
	}
	a := open(t, cfg, Options{Dist: dist(), Clock: early{30 * time.Minute}})
	if ahead := time.Until(a.clock.Now()); ahead.Abs() > 20*time.Minute {
		t.Errorf("the clock of an App that does not serve is %s ahead", ahead)
	}
	a.end(t)
}
