package flow

import (
	"context"
	"time"

	"portico/internal/clock"
	"portico/internal/outbox"
)

// refused reports whether the mail server has refused the newest email of the flow,
// or one that was asked for before it. A refusal of a later email is not about
// this flow.
func (f *Flows) refused(ctx context.Context, tx Tx, p Pending, sent time.Time) (bool, error) {
	r, ok, err := tx.RefusalOf(ctx, f.mailboxes.Sum(p.AddressKey))
	now := f.clock.Now()
	over := !now.Before(r.RefusedAt.Add(outbox.KeepRefusal)) || clock.Ahead(r.RefusedAt, now)
	return ok && !over && !r.AskedAt.After(sent), err
}
