package app

import (
	"context"

	"portico/internal/outbox"
	"portico/internal/store"
)

// MostMore is how many emails Unsent counts beyond its limits.
const MostMore = 1_000

// Unsent returns up to limit messages of lanes that wait, or of all lanes, the first due first, and up to limit
// of all that were given up, the newest first. more is the number beyond these limits, up to MostMore.
func (a *App) Unsent(ctx context.Context, limit int, lanes ...outbox.Lane) (waiting, dead []outbox.Listed, more int, err error) {
	var counts outbox.Counts
	err = a.Store.Read(ctx, func(tx *store.Tx) (err error) {
		if waiting, err = a.Outbox.Waiting(ctx, tx, limit, lanes...); err != nil {
			return err
		}
		if dead, err = a.Outbox.Dead(ctx, tx, limit); err != nil {
			return err
		}
		counts, err = tx.CountMessages(ctx)
		return err
	})
	return waiting, dead, min(MostMore, max(0, counts.Of(lanes...).Waiting-len(waiting))+max(0, counts.Of().Dead-len(dead))), err
}

// FlushEmails makes the waiting emails due now. It returns how many it made due, and how
// many wait in all.
func (a *App) FlushEmails(ctx context.Context) (made int64, waiting int, err error) {
	err = a.Store.Read(ctx, func(tx *store.Tx) error {
		counts, err := tx.CountMessages(ctx)
		waiting = counts.Of().Waiting
		return err
	})
	for more := true; more && err == nil; {
		var some int64
		err = a.Store.Write(ctx, func(tx *store.Tx) (err error) {
			some, more, err = a.Outbox.Flush(ctx, tx)
			return err
		})
		made += some
	}
	return made, waiting, err
}
