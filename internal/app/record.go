package app

import (
	"context"
	"errors"
	"time"

	"portico/internal/audit"
	"portico/internal/store"
)

// sealsAtOnce bounds one run. More records than 100 times audit's mostSealed in ten seconds are sealed later.
const sealsAtOnce = 100

// sealRecord seals the audit records that are old enough.
func (a *App) sealRecord(ctx context.Context) error {
	for range sealsAtOnce {
		more := false
		err := a.Store.Read(ctx, func(tx *store.Tx) (err error) {
			more, err = a.sealer.Due(ctx, tx)
			return err
		})
		if err != nil || !more {
			return err
		}
		more = false // another process may have the lease
		if err := a.alone(ctx, func(tx *store.Tx) error { more, err = a.sealer.Seal(ctx, tx); return err }); err != nil || !more {
			return err
		}
	}
	return nil
}

// releaseRecord lets go of the audit records that are too old, drops what it can of them at
// once, and returns from when on the others are kept. It also makes the next partitions.
func (a *App) releaseRecord(ctx context.Context) (from time.Time, err error) {
	now := a.clock.Now()
	before := a.Store.KeptFrom(now.Add(-a.live.Load().config.Audit.Keep))
	if err := a.batches(ctx, func(tx *store.Tx) (more bool, err error) {
		from, more, err = a.sealer.Release(ctx, tx, before)
		return more, err
	}); err != nil || from.IsZero() { // another process has the lease
		return time.Time{}, err
	}
	return from, errors.Join(a.Store.MakeMonths(ctx, now, now), a.Store.DropMonths(ctx, from))
}

// VerifyRecord compares the audit records with their seals.
func (a *App) VerifyRecord(ctx context.Context, from int64, kept audit.Kept) (audit.Verified, error) {
	db := unit[audit.SealStore]{a.Store, func(tx *store.Tx) audit.SealStore { return tx }}
	return a.sealer.Verify(ctx, db, from, kept)
}
