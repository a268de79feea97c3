package store

import (
	"context"

	"portico/internal/account"
)

// SavePortrait implements account.PortraitStore.
func (t *Tx) SavePortrait(ctx context.Context, p account.Portrait) error {
	return t.run(ctx, `INSERT INTO portrait (account_id, id, image, changed_at) VALUES ($1, $2, $3, $4)
		ON CONFLICT (account_id) DO UPDATE SET id = $2, image = $3, changed_at = $4`, p.AccountID, p.ID, p.Image, micros(p.ChangedAt))
}

// PortraitID implements account.PortraitStore.
func (t *Tx) PortraitID(ctx context.Context, accountID string) (string, error) {
	return only(ctx, t, `SELECT id FROM portrait WHERE account_id = $1`, []any{accountID}, scanOne[string])
}

// PortraitImage implements account.PortraitStore.
func (t *Tx) PortraitImage(ctx context.Context, id string) ([]byte, bool, error) {
	return first(ctx, t, `SELECT portrait.image FROM portrait JOIN account ON account.id = portrait.account_id WHERE portrait.id = $1 AND account.state = $2`,
		[]any{id, string(account.Active)}, scanOne[[]byte])
}

// DeletePortrait implements account.PortraitStore.
func (t *Tx) DeletePortrait(ctx context.Context, accountID string) (bool, error) {
	return t.one(ctx, `DELETE FROM portrait WHERE account_id = $1`, accountID)
}
