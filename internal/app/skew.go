package app

import (
	"context"
	"sync/atomic"
	"time"

	"portico/internal/clock"
	"portico/internal/store"
)

const (
	// farApart is by how much this machine's clock and the database server's may
	// differ before anything is done about it.
	farApart = 10 * time.Second
	// TooFar is by how much a clock is not one to allow for, but wrong.
	TooFar = time.Hour
)

// common is a clock that nodes agree on: this machine's, less what it was seen
// to be ahead of the database server's. The leases of mails are told by it: a
// node that is ahead would take what another one is sending, and send it again.
type common struct {
	clock.Clock
	ahead atomic.Int64 // nanoseconds
}

// Now implements clock.Clock.
func (c *common) Now() time.Time {
	return c.Clock.Now().Add(-time.Duration(c.ahead.Load())).Truncate(time.Microsecond)
}

// ClockAhead returns by how much a clock is ahead of the database server's: 0 when
// it is not far, and false when the database has no clock of its own.
func ClockAhead(ctx context.Context, s *store.Store, c clock.Clock) (ahead time.Duration, known bool, err error) {
	before := c.Now()
	theirs, known, err := s.Now(ctx)
	if err != nil || !known {
		return 0, false, err
	}
	took := c.Now().Sub(before)
	if ahead = before.Add(took / 2).Sub(theirs); ahead.Abs() <= farApart+took {
		ahead = 0
	}
	return ahead, true, nil
}

// compareClocks finds out how far this machine's clock is from the database
// server's, and tells the operator when that begins or ends to matter.
func (a *App) compareClocks(ctx context.Context) error {
	apart, known, err := ClockAhead(ctx, a.Store, a.clock)
	if err != nil || !known {
		return err
	}
	allowed := apart
	if apart.Abs() > TooFar {
		allowed = 0
	}
	a.common.ahead.Store(int64(allowed))
	switch far := apart != 0; {
	case far && !a.apart.Swap(true):
		a.log.Warn("the clock of this machine is not that of the database server: keep all machines in step (NTP)", "ahead_by", apart.Round(time.Second).String())
	case !far && a.apart.Swap(false):
		a.log.Info("the clock of this machine is that of the database server again")
	}
	return nil
}
