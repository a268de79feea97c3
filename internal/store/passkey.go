package store

import (
	"context"
	"time"

	"portico/internal/passkey"
)

const passkeyColumns = `id, account_id, credential, public_key, handle, host, name, model, transports, counter, copies, copied, created_at, used_at`

func passkeyRow(row scanner) (passkey.Passkey, error) {
	var p passkey.Passkey
	var transports string
	var copies, copied, created, used int64
	err := row.Scan(&p.ID, &p.AccountID, &p.Credential, &p.PublicKey, &p.Handle, &p.Host, &p.Name, &p.Model, &transports, &p.Counter, &copies, &copied, &created, &used)
	if err != nil {
		return p, err
	}
	p.Copies, p.Copied, p.CreatedAt, p.UsedAt = copies == 1, copied == 1, fromMicros(created), fromMicros(used)
	p.Transports, err = unlist(transports)
	return p, err
}

// InsertPasskey implements passkey.Store.
func (t *Tx) InsertPasskey(ctx context.Context, p passkey.Passkey) (bool, error) {
	return t.changePerson(ctx, p.AccountID, `INSERT INTO passkey (`+passkeyColumns+`)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14) ON CONFLICT (credential) DO NOTHING`,
		passkeyValues(p)...)
}

// passkeyValues returns the values of passkeyColumns.
func passkeyValues(p passkey.Passkey) []any {
	return []any{
		p.ID, p.AccountID, p.Credential, p.PublicKey, p.Handle, p.Host, p.Name, p.Model, list(p.Transports), p.Counter, truth(p.Copies), truth(p.Copied),
		micros(p.CreatedAt), micros(p.UsedAt),
	}
}

// PasskeysOf implements passkey.Store.
func (t *Tx) PasskeysOf(ctx context.Context, accountID string) ([]passkey.Passkey, error) {
	return collect(ctx, t, `SELECT `+passkeyColumns+` FROM passkey WHERE account_id = $1 ORDER BY used_at DESC, id`, []any{accountID}, passkeyRow)
}

// PasskeyByCredential implements passkey.Store.
func (t *Tx) PasskeyByCredential(ctx context.Context, credential []byte) (passkey.Passkey, bool, error) {
	return first(ctx, t, `SELECT `+passkeyColumns+` FROM passkey WHERE credential = $1`, []any{credential}, passkeyRow)
}

// UsePasskey implements passkey.Store.
func (t *Tx) UsePasskey(ctx context.Context, p passkey.Passkey, before int64) (bool, error) {
	return t.one(ctx, `UPDATE passkey SET counter = $3, copies = $4, copied = $5, used_at = $6 WHERE id = $1 AND counter = $2`,
		p.ID, before, p.Counter, truth(p.Copies), truth(p.Copied), micros(p.UsedAt))
}

// RenamePasskey implements passkey.Store.
func (t *Tx) RenamePasskey(ctx context.Context, accountID, id, name string) (bool, error) {
	return t.one(ctx, `UPDATE passkey SET name = $3 WHERE id = $1 AND account_id = $2`, id, accountID, name)
}

// DeletePasskey implements passkey.Store.
func (t *Tx) DeletePasskey(ctx context.Context, accountID, id string) (bool, error) {
	return t.changePerson(ctx, accountID, `DELETE FROM passkey WHERE id = $1 AND account_id = $2`, id, accountID)
}

// CountPasskeys implements passkey.Store. Each range reads its part of the index. PostgreSQL
// would read the whole index for <> and for OR.
func (t *Tx) CountPasskeys(ctx context.Context, otherThan string) (int64, error) {
	return only(ctx, t, `SELECT (SELECT COUNT(*) FROM passkey WHERE host < $1) + (SELECT COUNT(*) FROM passkey WHERE host > $1)`, []any{otherThan}, scanOne[int64])
}

// RefusePasskeys implements passkey.Store.
func (t *Tx) RefusePasskeys(ctx context.Context, accountID string, at time.Time) error {
	return t.run(ctx, `INSERT INTO passkey_refusal (account_id, at) VALUES ($1, $2) ON CONFLICT (account_id) DO NOTHING`, accountID, micros(at))
}

// PasskeysRefused implements passkey.Store.
func (t *Tx) PasskeysRefused(ctx context.Context, accountID string) (bool, error) {
	_, refused, err := first(ctx, t, `SELECT at FROM passkey_refusal WHERE account_id = $1`, []any{accountID}, scanOne[int64])
	return refused, err
}

// truth is a bool as both engines store it.
func truth(b bool) int64 {
	if b {
		return 1
	}
	return 0
}
