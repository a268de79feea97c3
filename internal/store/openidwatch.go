package store

import (
	"context"
	"time"

	"portico/internal/openid"
)

// Watch implements openid.WatchStore.
func (t *Tx) Watch(ctx context.Context, sessionID string, at time.Time) error {
	return t.run(ctx, `INSERT INTO openid_watch (session_id, check_at) VALUES ($1, $2)
		ON CONFLICT (session_id) DO UPDATE SET check_at = excluded.check_at`, sessionID, micros(at))
}

// DueWatches implements openid.WatchStore.
func (t *Tx) DueWatches(ctx context.Context, now time.Time, limit int) ([]openid.Watched, error) {
	return collect(ctx, t, `SELECT w.session_id, COALESCE(s.account_id, ''), COALESCE(s.last_seen_at, 0), COALESCE(s.expires_at, 0)
		FROM openid_watch w LEFT JOIN session s ON s.id = w.session_id
		WHERE w.check_at <= $1 ORDER BY w.check_at LIMIT CAST($2 AS BIGINT)`, []any{micros(now), limit},
		func(row scanner) (w openid.Watched, err error) {
			var seen, ends int64
			err = row.Scan(&w.SessionID, &w.AccountID, &seen, &ends)
			w.Seen, w.Ends = fromMicros(seen), fromMicros(ends)
			return w, err
		})
}

// Unwatch implements openid.WatchStore.
func (t *Tx) Unwatch(ctx context.Context, sessionID string) error {
	return t.run(ctx, `DELETE FROM openid_watch WHERE session_id = $1`, sessionID)
}
