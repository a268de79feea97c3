package store

import (
	"context"
	"time"

	"portico/internal/code"
)

const codeColumns = `id, flow_id, digits, link_hash, sent_at, expires_at, used_at`

func scanCode(row scanner) (code.Secret, error) {
	var s code.Secret
	var sent, expires, used int64
	err := row.Scan(&s.ID, &s.FlowID, &s.Digits, &s.Link, &sent, &expires, &used)
	s.SentAt, s.ExpiresAt, s.UsedAt = fromMicros(sent), fromMicros(expires), fromMicros(used)
	return s, err
}

// InsertCode implements code.Store.
func (t *Tx) InsertCode(ctx context.Context, s code.Secret) error {
	return t.run(ctx, `INSERT INTO code (`+codeColumns+`) VALUES ($1, $2, $3, $4, $5, $6, $7)`,
		s.ID, s.FlowID, s.Digits, s.Link, micros(s.SentAt), micros(s.ExpiresAt), micros(s.UsedAt))
}

// CodesOf implements code.Store.
func (t *Tx) CodesOf(ctx context.Context, flowID string) ([]code.Secret, error) {
	return collect(ctx, t, `SELECT `+codeColumns+` FROM code WHERE flow_id = $1 ORDER BY sent_at DESC, id`, []any{flowID}, scanCode)
}

// CodeByLink implements code.Store.
func (t *Tx) CodeByLink(ctx context.Context, link []byte) (code.Secret, bool, error) {
	return first(ctx, t, `SELECT `+codeColumns+` FROM code WHERE link_hash = $1`, []any{link}, scanCode)
}

// UseCode implements code.Store.
func (t *Tx) UseCode(ctx context.Context, id string, now time.Time) (bool, error) {
	return t.one(ctx, `UPDATE code SET used_at = $2 WHERE id = $1 AND used_at = 0 AND expires_at > $2`, id, micros(now))
}

// EndCodes implements code.Store.
func (t *Tx) EndCodes(ctx context.Context, flowID string, now time.Time) error {
	return t.run(ctx, `UPDATE code SET used_at = $2 WHERE flow_id = $1 AND used_at = 0`, flowID, micros(now))
}
