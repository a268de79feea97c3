package store

import (
	"context"
	"time"

	"portico/internal/trust"
)

const trustColumns = `id, account_id, token_hash, mark, user_agent, created_at, used_at, expires_at`

// InsertTrust implements trust.Store.
func (t *Tx) InsertTrust(ctx context.Context, b trust.Browser) error {
	return t.run(ctx, `INSERT INTO trusted_browser (`+trustColumns+`) VALUES ($1, $2, $3, $4, $5, $6, $7, $8)`,
		b.ID, b.AccountID, b.Hash, b.Fingerprint, b.UserAgent, micros(b.CreatedAt), micros(b.UsedAt), micros(b.ExpiresAt))
}

// TrustsOf implements trust.Store.
func (t *Tx) TrustsOf(ctx context.Context, accountID string) ([]trust.Browser, error) {
	return collect(ctx, t, `SELECT `+trustColumns+` FROM trusted_browser WHERE account_id = $1 ORDER BY used_at DESC, id`, []any{accountID},
		func(row scanner) (trust.Browser, error) {
			var b trust.Browser
			var created, used, expires int64
			err := row.Scan(&b.ID, &b.AccountID, &b.Hash, &b.Fingerprint, &b.UserAgent, &created, &used, &expires)
			b.CreatedAt, b.UsedAt, b.ExpiresAt = fromMicros(created), fromMicros(used), fromMicros(expires)
			return b, err
		})
}

// UseTrust implements trust.Store.
func (t *Tx) UseTrust(ctx context.Context, id string, at time.Time) (bool, error) {
	return t.one(ctx, `UPDATE trusted_browser SET used_at = $2 WHERE id = $1`, id, micros(at))
}

// DeleteTrust implements trust.Store.
func (t *Tx) DeleteTrust(ctx context.Context, accountID, id string) (bool, error) {
	return t.one(ctx, `DELETE FROM trusted_browser WHERE id = $1 AND account_id = $2`, id, accountID)
}
