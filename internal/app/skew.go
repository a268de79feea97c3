package app

import (
	"context"
	"sync/atomic"
	"time"

	"portico/internal/clock"
	"portico/internal/store"
)

// TooFar is the difference between this machine's clock and the database server's at which
// the clock counts as wrong and is not corrected.
const TooFar = time.Hour

// common is the clock of the nodes: this machine's clock, corrected by its lead
// over the database server's. Otherwise a node whose clock is ahead would take
// over an email that another node is sending, and refuse an authorization code
// that another node has given a moment ago.
type common struct {
	machine clock.Clock
	ahead   atomic.Int64 // nanoseconds
	moved   func() time.Duration
}

// Now implements clock.Clock.
func (c *common) Now() time.Time {
	return c.machine.Now().Add(c.moved() - time.Duration(c.ahead.Load())).Truncate(time.Microsecond)
}

// ClockAhead returns the lead of a clock over the database server's clock. It
// returns 0 for a difference of up to clock.Uncorrected, and false if the database has
// no clock of its own.
func ClockAhead(ctx context.Context, s *store.Store, c clock.Clock) (ahead time.Duration, known bool, err error) {
	before := c.Now()
	theirs, known, err := s.Now(ctx)
	if err != nil || !known {
		return 0, false, err
	}
	took := c.Now().Sub(before)
	if ahead = before.Add(took / 2).Sub(theirs); ahead.Abs() <= clock.Uncorrected+took {
		ahead = 0
	}
	return ahead, true, nil
}

// compareClocks measures this machine's clock against the database server's,
// corrects the clock of the nodes, and logs when a difference begins or ends.
func (a *App) compareClocks(ctx context.Context) error {
	apart, known, err := ClockAhead(ctx, a.Store, a.clock.machine)
	if err != nil || !known {
		return err
	}
	allowed := apart
	if apart.Abs() > TooFar {
		allowed = 0
	}
	a.clock.ahead.Store(int64(allowed))
	switch far := apart != 0; {
	case far && !a.apart.Swap(true):
		a.log.Warn("the clocks of this machine and the database server differ: synchronize all machines (NTP)", "ahead_by", apart.Round(time.Second).String())
	case !far && a.apart.Swap(false):
		a.log.Info("the clocks of this machine and the database server agree again")
	}
	return nil
}
