package store

import (
	"context"
	"time"

	"portico/internal/openid"
)

// InsertInitialToken implements openid.RegistryStore.
func (t *Tx) InsertInitialToken(ctx context.Context, i openid.InitialToken) error {
	return t.run(ctx, `INSERT INTO openid_initial_token (hash, id, uses_left, created_at, expires_at) VALUES ($1, $2, $3, $4, $5)`,
		i.Hash, i.ID, i.Uses, micros(i.CreatedAt), micros(i.ExpiresAt))
}

// InitialTokens implements openid.RegistryStore.
func (t *Tx) InitialTokens(ctx context.Context, now time.Time) ([]openid.InitialToken, error) {
	return collect(ctx, t, `SELECT hash, id, uses_left, created_at, expires_at FROM openid_initial_token
		WHERE expires_at > $1 AND uses_left > 0 ORDER BY created_at, id`, []any{micros(now)},
		func(row scanner) (i openid.InitialToken, err error) {
			var created, expires int64
			err = row.Scan(&i.Hash, &i.ID, &i.Uses, &created, &expires)
			i.CreatedAt, i.ExpiresAt = fromMicros(created), fromMicros(expires)
			return i, err
		})
}

// SpendInitialToken implements openid.RegistryStore.
func (t *Tx) SpendInitialToken(ctx context.Context, hash []byte, now time.Time) (bool, error) {
	return t.one(ctx, `UPDATE openid_initial_token SET uses_left = uses_left - 1 WHERE hash = $1 AND uses_left > 0 AND expires_at > $2`, hash, micros(now))
}

// DeleteInitialToken implements openid.RegistryStore.
func (t *Tx) DeleteInitialToken(ctx context.Context, id string) (bool, error) {
	return t.one(ctx, `DELETE FROM openid_initial_token WHERE id = $1`, id)
}

// InsertRegistered implements openid.RegistryStore. PostgreSQL would let two transactions
// find the last place free. The row of the installation makes the second one wait, and it
// counts after that in a statement of its own.
func (t *Tx) InsertRegistered(ctx context.Context, r openid.Registered, now time.Time, most int) (bool, error) {
	if _, _, err := first(ctx, t, `SELECT id FROM installation WHERE id = 1`+t.core.Locks.Row, nil, scanOne[int64]); err != nil {
		return false, err
	}
	return t.one(ctx, `INSERT INTO openid_registered_client (id, metadata, secret_hash, access_hash, created_at, ends_at) SELECT $1, $2, $3, $4, $5, $6
		WHERE (SELECT COUNT(*) FROM openid_registered_client WHERE ends_at > $7) < CAST($8 AS BIGINT)`,
		r.ID, r.Metadata, r.Secret, r.Access, micros(r.CreatedAt), micros(r.EndsAt), micros(now), most)
}

const registeredColumns = `SELECT id, metadata, secret_hash, access_hash, created_at, ends_at FROM openid_registered_client WHERE ends_at > $1`

// RegisteredByID implements openid.RegistryStore.
func (t *Tx) RegisteredByID(ctx context.Context, id string, now time.Time) (openid.Registered, bool, error) {
	return first(ctx, t, registeredColumns+` AND id = $2`, []any{micros(now), id}, registeredRow)
}

// LockRegistered implements openid.RegistryStore.
func (t *Tx) LockRegistered(ctx context.Context, id string, now time.Time) (openid.Registered, bool, error) {
	return first(ctx, t, registeredColumns+` AND id = $2`+t.core.Locks.Row, []any{micros(now), id}, registeredRow)
}

// RegisteredList implements openid.RegistryStore.
func (t *Tx) RegisteredList(ctx context.Context, now time.Time) ([]openid.Registered, error) {
	return collect(ctx, t, registeredColumns+` ORDER BY created_at, id`, []any{micros(now)}, registeredRow)
}

func registeredRow(row scanner) (r openid.Registered, err error) {
	var created, ends int64
	err = row.Scan(&r.ID, &r.Metadata, &r.Secret, &r.Access, &created, &ends)
	r.CreatedAt, r.EndsAt = fromMicros(created), fromMicros(ends)
	return r, err
}

// ChangeRegistered implements openid.RegistryStore.
func (t *Tx) ChangeRegistered(ctx context.Context, r openid.Registered) error {
	return t.run(ctx, `UPDATE openid_registered_client SET metadata = $2, secret_hash = $3 WHERE id = $1`, r.ID, r.Metadata, r.Secret)
}

// KeepRegistered implements openid.RegistryStore.
func (t *Tx) KeepRegistered(ctx context.Context, id string, until time.Time) error {
	return t.run(ctx, `UPDATE openid_registered_client SET ends_at = $2 WHERE id = $1 AND ends_at < $2 AND ends_at > 0`, id, micros(until))
}

// EndRegistered implements openid.RegistryStore. Whatever another transaction has read, it cannot keep an end of 0.
func (t *Tx) EndRegistered(ctx context.Context, id string, now time.Time) (bool, error) {
	return t.one(ctx, `UPDATE openid_registered_client SET ends_at = 0 WHERE id = $1 AND ends_at > $2`, id, micros(now))
}

// EndedRegistered implements openid.RegistryStore.
func (t *Tx) EndedRegistered(ctx context.Context, now time.Time) ([]string, error) {
	return collect(ctx, t, `SELECT id FROM openid_registered_client WHERE ends_at <= $1`, []any{micros(now)}, scanOne[string])
}

// DeleteRegistered implements openid.RegistryStore.
func (t *Tx) DeleteRegistered(ctx context.Context, id string, now time.Time) error {
	return t.run(ctx, `DELETE FROM openid_registered_client WHERE id = $1 AND ends_at <= $2`, id, micros(now))
}
