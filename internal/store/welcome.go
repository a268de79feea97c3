package store

import (
	"context"
	"time"

	"portico/internal/flow"
)

// WelcomeOf implements flow.NewcomerStore.
func (t *Tx) WelcomeOf(ctx context.Context, accountID string) (flow.Welcome, bool, error) {
	return first(ctx, t, `SELECT queued_at, pace, welcomed_at FROM newcomer WHERE account_id = $1`+t.core.Locks.Row, []any{accountID}, func(row scanner) (w flow.Welcome, err error) {
		var queued, pace, mailed int64
		err = row.Scan(&queued, &pace, &mailed)
		return flow.Welcome{QueuedAt: fromMicros(queued), Pace: time.Duration(pace) * time.Microsecond, MailedAt: fromMicros(mailed)}, err
	})
}

// UpdateWelcome implements flow.NewcomerStore.
func (t *Tx) UpdateWelcome(ctx context.Context, accountID string, w flow.Welcome) error {
	return t.run(ctx, `UPDATE newcomer SET queued_at = $2, pace = $3, welcomed_at = $4 WHERE account_id = $1`,
		accountID, micros(w.QueuedAt), w.Pace.Microseconds(), micros(w.MailedAt))
}

// DeleteWelcome implements flow.NewcomerStore.
func (t *Tx) DeleteWelcome(ctx context.Context, accountID string) error {
	return t.run(ctx, `DELETE FROM newcomer WHERE account_id = $1`, accountID)
}

// NextWelcome implements flow.NewcomerStore.
func (t *Tx) NextWelcome(ctx context.Context) (string, bool, error) {
	return first(ctx, t, `SELECT account_id FROM newcomer WHERE queued_at > 0 ORDER BY queued_at, account_id LIMIT 1`, nil, scanOne[string])
}

// StopWelcomes implements flow.NewcomerStore.
func (t *Tx) StopWelcomes(ctx context.Context, limit int) (int64, error) {
	return t.exec(ctx, `UPDATE newcomer SET queued_at = 0 WHERE account_id IN (SELECT account_id FROM newcomer WHERE queued_at > 0 LIMIT CAST($1 AS BIGINT))`, limit)
}
