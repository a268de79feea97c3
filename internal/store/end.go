package store

import (
	"context"
	"time"
)

// UpdateEnd implements account.EndStore.
func (t *Tx) UpdateEnd(ctx context.Context, id string, at time.Time) error {
	n, err := t.exec(ctx, `UPDATE account SET ends_at = $2 WHERE id = $1`, id, micros(at))
	if err == nil {
		err = t.DropDueEnd(ctx, id)
	}
	if err == nil && n == 1 {
		err = t.addDueEnd(ctx, id, at)
	}
	return err
}

// addDueEnd does nothing for the zero time.
func (t *Tx) addDueEnd(ctx context.Context, id string, at time.Time) error {
	if at.IsZero() {
		return nil
	}
	return t.run(ctx, `INSERT INTO account_end (account_id, ends_at) VALUES ($1, $2)`, id, micros(at))
}

// DueEnds implements account.EndStore.
func (t *Tx) DueEnds(ctx context.Context, now time.Time, limit int) ([]string, error) {
	return collect(ctx, t, `SELECT account_id FROM account_end WHERE ends_at <= $1 ORDER BY ends_at LIMIT CAST($2 AS BIGINT)`, []any{micros(now), limit}, scanOne[string])
}

// DropDueEnd implements account.EndStore.
func (t *Tx) DropDueEnd(ctx context.Context, id string) error {
	return t.run(ctx, `DELETE FROM account_end WHERE account_id = $1`, id)
}
