package store

import (
	"context"
	"time"

	"portico/internal/signingkey"
)

// SigningKeys implements signingkey.Store.
func (t *Tx) SigningKeys(ctx context.Context) ([]signingkey.Key, error) {
	return collect(ctx, t, `SELECT id, generation, sealed, created_at, signs_at, revoked_at FROM signing_key
		WHERE generation > 0 ORDER BY generation`, nil,
		func(row scanner) (signingkey.Key, error) {
			var k signingkey.Key
			var created, signs, revoked int64
			err := row.Scan(&k.ID, &k.Generation, &k.Sealed, &created, &signs, &revoked)
			k.CreatedAt, k.SignsAt, k.RevokedAt = fromMicros(created), fromMicros(signs), fromMicros(revoked)
			return k, err
		})
}

// InsertSigningKey implements signingkey.Store.
func (t *Tx) InsertSigningKey(ctx context.Context, k signingkey.Key) (bool, error) {
	return t.one(ctx, `INSERT INTO signing_key (id, generation, sealed, created_at, signs_at, revoked_at)
		VALUES ($1, $2, $3, $4, $5, $6) ON CONFLICT (generation) DO NOTHING`,
		k.ID, k.Generation, k.Sealed, micros(k.CreatedAt), micros(k.SignsAt), micros(k.RevokedAt))
}

// RevokeSigningKey implements signingkey.Store.
func (t *Tx) RevokeSigningKey(ctx context.Context, id string, at time.Time) (bool, error) {
	return t.one(ctx, `UPDATE signing_key SET revoked_at = $2 WHERE id = $1 AND revoked_at = 0`, id, micros(at))
}

// DeleteSigningKeys implements signingkey.Store.
func (t *Tx) DeleteSigningKeys(ctx context.Context, from, before int64) error {
	return t.run(ctx, `DELETE FROM signing_key WHERE generation >= $1 AND generation < $2`, from, before)
}
