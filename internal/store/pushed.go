package store

import (
	"context"
	"time"

	"portico/internal/openid"
)

// InsertPushed implements openid.PushStore.
func (t *Tx) InsertPushed(ctx context.Context, p openid.Pushed) error {
	return t.run(ctx, `INSERT INTO openid_pushed_request (hash, client_id, query, begin_by, expires_at) VALUES ($1, $2, $3, $4, $5)`,
		p.Hash, p.ClientID, p.Query, micros(p.BeginBy), micros(p.ExpiresAt))
}

// PushedByHash implements openid.PushStore.
func (t *Tx) PushedByHash(ctx context.Context, hash []byte) (openid.Pushed, bool, error) {
	return first(ctx, t, `SELECT hash, client_id, query, begin_by, expires_at FROM openid_pushed_request WHERE hash = $1`, []any{hash},
		func(row scanner) (p openid.Pushed, err error) {
			var begin, expires int64
			err = row.Scan(&p.Hash, &p.ClientID, &p.Query, &begin, &expires)
			p.BeginBy, p.ExpiresAt = fromMicros(begin), fromMicros(expires)
			return p, err
		})
}

// UsePushed implements openid.PushStore.
func (t *Tx) UsePushed(ctx context.Context, hash []byte, now time.Time) (bool, error) {
	return t.one(ctx, `DELETE FROM openid_pushed_request WHERE hash = $1 AND expires_at > $2`, hash, micros(now))
}
