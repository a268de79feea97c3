package store

import (
	"context"
	"time"
)

// SpendTicket implements flow.TicketStore.
func (t *Tx) SpendTicket(ctx context.Context, hash []byte, until time.Time) (bool, error) {
	n, err := t.exec(ctx, `INSERT INTO spent_ticket (hash, expires_at) VALUES ($1, $2) ON CONFLICT (hash) DO NOTHING`, hash, micros(until))
	return n == 1, err
}
