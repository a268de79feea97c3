package store

import (
	"context"
	"time"

	"portico/internal/flow"
)

const flowColumns = `id, kind, step, account_id, version, address_key, browser_hash, return_to, sealed, created_at, expires_at`

func scanFlow(row scanner) (flow.Pending, error) {
	var p flow.Pending
	var created, expires int64
	err := row.Scan(&p.ID, &p.Kind, &p.Step, &p.AccountID, &p.Version, &p.AddressKey, &p.BrowserHash, &p.ReturnTo, &p.Sealed, &created, &expires)
	p.CreatedAt, p.ExpiresAt = fromMicros(created), fromMicros(expires)
	return p, err
}

// InsertFlow implements flow.PendingStore.
func (t *Tx) InsertFlow(ctx context.Context, p flow.Pending) error {
	return t.run(ctx, `INSERT INTO flow (`+flowColumns+`) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)`,
		p.ID, string(p.Kind), string(p.Step), p.AccountID, p.Version, p.AddressKey, p.BrowserHash, p.ReturnTo, p.Sealed,
		micros(p.CreatedAt), micros(p.ExpiresAt))
}

// FlowByID implements flow.PendingStore.
func (t *Tx) FlowByID(ctx context.Context, id string) (flow.Pending, bool, error) {
	return first(ctx, t, `SELECT `+flowColumns+` FROM flow WHERE id = $1`+t.core.Locks.Row, []any{id}, scanFlow)
}

// NewestFlow implements flow.PendingStore.
func (t *Tx) NewestFlow(ctx context.Context, kind flow.Kind, step flow.Step, addressKey string, browser []byte, now time.Time) (flow.Pending, bool, error) {
	return first(ctx, t, `SELECT `+flowColumns+` FROM flow
		WHERE address_key = $1 AND kind = $2 AND step = $3 AND browser_hash = $4 AND expires_at > $5 ORDER BY created_at DESC LIMIT 1`,
		[]any{addressKey, string(kind), string(step), browser, micros(now)}, scanFlow)
}

// AdvanceFlow implements flow.PendingStore.
func (t *Tx) AdvanceFlow(ctx context.Context, id string, from, to flow.Step, now time.Time) (bool, error) {
	return t.one(ctx, `UPDATE flow SET step = $3 WHERE id = $1 AND step = $2 AND expires_at > $4`, id, string(from), string(to), micros(now))
}

// RenewFlow implements flow.PendingStore.
func (t *Tx) RenewFlow(ctx context.Context, p flow.Pending, now time.Time) (bool, error) {
	return t.one(ctx, `UPDATE flow SET sealed = $2, return_to = $3, expires_at = $4, account_id = $7, version = $8 WHERE id = $1 AND step = $5 AND expires_at > $6`,
		p.ID, p.Sealed, p.ReturnTo, micros(p.ExpiresAt), string(p.Step), micros(now), p.AccountID, p.Version)
}

// OwnFlow implements flow.PendingStore.
func (t *Tx) OwnFlow(ctx context.Context, id, accountID string) error {
	return t.run(ctx, `UPDATE flow SET account_id = $2 WHERE id = $1`, id, accountID)
}
