package store

import (
	"context"
	"errors"
	"time"

	"portico/internal/openid"
)

// InsertDevice implements openid.DeviceStore.
func (t *Tx) InsertDevice(ctx context.Context, d openid.Device) (bool, error) {
	return t.one(ctx, `INSERT INTO openid_device (hash, user_hash, client_id, scopes, resources, expires_at, polled_at, grant_id, denied_at)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9) ON CONFLICT (user_hash) DO NOTHING`,
		d.Hash, d.UserHash, d.ClientID, list(d.Scopes), list(d.Resources), micros(d.ExpiresAt), micros(d.PolledAt), d.GrantID, micros(d.DeniedAt))
}

// DeviceByHash implements openid.DeviceStore.
func (t *Tx) DeviceByHash(ctx context.Context, hash []byte) (openid.Device, bool, error) {
	return first(ctx, t, deviceWhere+`hash = $1`, []any{hash}, deviceRow)
}

// DeviceByUserHash implements openid.DeviceStore.
func (t *Tx) DeviceByUserHash(ctx context.Context, hash []byte) (openid.Device, bool, error) {
	return first(ctx, t, deviceWhere+`user_hash = $1`, []any{hash}, deviceRow)
}

const deviceWhere = `SELECT hash, user_hash, client_id, scopes, resources, expires_at, polled_at, grant_id, denied_at FROM openid_device WHERE `

func deviceRow(row scanner) (d openid.Device, err error) {
	var scopes, resources string
	var expires, polled, denied int64
	if err = row.Scan(&d.Hash, &d.UserHash, &d.ClientID, &scopes, &resources, &expires, &polled, &d.GrantID, &denied); err != nil {
		return openid.Device{}, err
	}
	d.ExpiresAt, d.PolledAt, d.DeniedAt = fromMicros(expires), fromMicros(polled), fromMicros(denied)
	var bad [2]error
	d.Scopes, bad[0] = unlist(scopes)
	d.Resources, bad[1] = unlist(resources)
	return d, errors.Join(bad[:]...)
}

// PollDevice implements openid.DeviceStore.
func (t *Tx) PollDevice(ctx context.Context, hash []byte, now, after time.Time) (bool, error) {
	return t.one(ctx, `UPDATE openid_device SET polled_at = $2 WHERE hash = $1 AND polled_at <= $3`, hash, micros(now), micros(after))
}

// AnswerDevice implements openid.DeviceStore.
func (t *Tx) AnswerDevice(ctx context.Context, hash []byte, grantID string, now time.Time) (bool, error) {
	return t.one(ctx, `UPDATE openid_device SET grant_id = $2, denied_at = CASE WHEN $2 = '' THEN CAST($3 AS BIGINT) ELSE 0 END
		WHERE hash = $1 AND grant_id = '' AND denied_at = 0 AND expires_at > $3`, hash, grantID, micros(now))
}

// UseDevice implements openid.DeviceStore.
func (t *Tx) UseDevice(ctx context.Context, hash []byte, now time.Time) (bool, error) {
	return t.one(ctx, `DELETE FROM openid_device WHERE hash = $1 AND grant_id <> '' AND expires_at > $2`, hash, micros(now))
}
