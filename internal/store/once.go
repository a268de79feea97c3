package store

import (
	"context"

	"portico/internal/once"
)

// OnceByHash implements once.Store.
func (t *Tx) OnceByHash(ctx context.Context, hash []byte) (once.Row, bool, error) {
	return first(ctx, t, `SELECT hash, asked, claim, done, answer, begun_at, expires_at FROM once WHERE hash = $1`+t.core.Locks.Row, []any{hash},
		func(row scanner) (r once.Row, err error) {
			var done, begun, expires int64
			err = row.Scan(&r.Hash, &r.Asked, &r.Claim, &done, &r.Answer, &begun, &expires)
			r.Done, r.BegunAt, r.Expires = done != 0, fromMicros(begun), fromMicros(expires)
			return r, err
		})
}

// ClaimOnce implements once.Store.
func (t *Tx) ClaimOnce(ctx context.Context, r once.Row, former string) (bool, error) {
	return t.one(ctx, `INSERT INTO once (hash, asked, claim, done, answer, begun_at, expires_at) VALUES ($1, $2, $3, 0, '', $4, $5)
		ON CONFLICT (hash) DO UPDATE SET asked = $2, claim = $3, done = 0, answer = '', begun_at = $4, expires_at = $5 WHERE once.claim = $6`,
		r.Hash, r.Asked, r.Claim, micros(r.BegunAt), micros(r.Expires), former)
}

// MarkOnce implements once.Store.
func (t *Tx) MarkOnce(ctx context.Context, hash []byte, claim string) (bool, error) {
	return t.one(ctx, `UPDATE once SET done = 1 WHERE hash = $1 AND claim = $2`, hash, claim)
}

// AnswerOnce implements once.Store.
func (t *Tx) AnswerOnce(ctx context.Context, hash []byte, claim, answer string) error {
	return t.run(ctx, `UPDATE once SET answer = $3 WHERE hash = $1 AND claim = $2 AND done = 1`, hash, claim, answer)
}

// DropOnce implements once.Store.
func (t *Tx) DropOnce(ctx context.Context, hash []byte, claim string) error {
	return t.run(ctx, `DELETE FROM once WHERE hash = $1 AND claim = $2 AND done = 0`, hash, claim)
}
