package outbox_test

import (
	"context"
	"errors"
	"log/slog"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"portico/internal/clock"
	"portico/internal/outbox"
)

// When a database is away for a while, the log has one line at the start and
// one at the end.
func TestRun_AwayIsLoggedOnce(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var log strings.Builder
		ctx, cancel := context.WithCancel(t.Context())
		back := time.Now().Add(time.Minute)
		box := outbox.New(outbox.Config{Clock: clock.System{}})
		runner := outbox.NewRunner(outbox.RunnerConfig{
			Outbox: box, Parallel: 1, Log: slog.New(slog.NewTextHandler(&log, nil)),
			Write: func(context.Context, func(outbox.Store) error) error {
				if time.Now().Before(back) {
					return errors.New("away")
				}
				return nil
			},
		})
		ended := make(chan struct{})
		go func() { runner.Run(ctx); close(ended) }()
		time.Sleep(2 * time.Minute)
		cancel()
		<-ended
		for _, line := range []string{"cannot read the outbox", "it works again to read the outbox"} {
			if n := strings.Count(log.String(), line); n != 1 {
				t.Errorf("%q is logged %d times, want once:\n%s", line, n, log.String())
			}
		}
	})
}
