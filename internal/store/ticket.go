package store

import (
	"context"
	"time"
)

// SpendTicket implements flow.TicketStore.
func (t *Tx) SpendTicket(ctx context.Context, hash []byte, until time.Time) (bool, error) {
	return t.one(ctx, `INSERT INTO spent_ticket (hash, expires_at) VALUES ($1, $2) ON CONFLICT (hash) DO NOTHING`, hash, micros(until))
}

// TicketSpent implements openid.MachineStore.
func (t *Tx) TicketSpent(ctx context.Context, hash []byte) (bool, error) {
	_, found, err := first(ctx, t, `SELECT expires_at FROM spent_ticket WHERE hash = $1`, []any{hash}, scanOne[int64])
	return found, err
}
