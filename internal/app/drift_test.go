package app

import (
	"bytes"
	"log/slog"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"portico/internal/clock"
)

func TestDrift(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var log bytes.Buffer
		c := clock.NewManual(time.Now())
		a := &App{log: slog.New(slog.NewTextHandler(&log, nil))}
		d := clock.NewDrift(c)
		pass := func(clock time.Duration) { // one minute passes, and the clock changes by this much
			time.Sleep(time.Minute)
			c.Advance(clock)
		}
		for _, step := range []struct {
			name    string
			clock   time.Duration
			trusted bool
			says    string
		}{
			{"as time does", time.Minute, true, ""},
			{"a little slow", 50 * time.Second, true, ""},
			{"an hour ahead", time.Hour + time.Minute, true, "by=1h0m0s"},
			{"two hours back", -2*time.Hour + time.Minute, true, "by=-2h0m0s"},
			{"ten years ahead", 10 * 365 * 24 * time.Hour, false, "deletes_what_is_old=false"},
			{"on in the wrong year", time.Minute, false, ""},
			{"back to where it was", -10 * 365 * 24 * time.Hour, true, "deletes_what_is_old=true"},
		} {
			log.Reset()
			pass(step.clock)
			if trusted := a.watchClock(d); trusted != step.trusted || !strings.Contains(log.String(), step.says) || step.says == "" && log.Len() > 0 {
				t.Errorf("%s: trusted %v, want %v; it says %q, want %q", step.name, trusted, step.trusted, log.String(), step.says)
			}
		}
	})
}
