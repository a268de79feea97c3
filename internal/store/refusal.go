package store

import (
	"context"

	"portico/internal/outbox"
)

// InsertRefusal implements outbox.RefusalStore.
func (t *Tx) InsertRefusal(ctx context.Context, r outbox.Refusal) error {
	return t.run(ctx, `INSERT INTO mailbox_refusal (mailbox, asked_at, refused_at) VALUES ($1, $2, $3)
		ON CONFLICT (mailbox) DO UPDATE SET asked_at = excluded.asked_at, refused_at = excluded.refused_at`,
		r.Mailbox, micros(r.AskedAt), micros(r.RefusedAt))
}

// RefusalOf implements outbox.RefusalStore.
func (t *Tx) RefusalOf(ctx context.Context, mailbox []byte) (outbox.Refusal, bool, error) {
	return first(ctx, t, `SELECT mailbox, asked_at, refused_at FROM mailbox_refusal WHERE mailbox = $1`, []any{mailbox},
		func(row scanner) (outbox.Refusal, error) {
			var r outbox.Refusal
			var asked, refused int64
			err := row.Scan(&r.Mailbox, &asked, &refused)
			r.AskedAt, r.RefusedAt = fromMicros(asked), fromMicros(refused)
			return r, err
		})
}

// DeleteRefusal implements outbox.RefusalStore.
func (t *Tx) DeleteRefusal(ctx context.Context, mailbox []byte) error {
	return t.run(ctx, `DELETE FROM mailbox_refusal WHERE mailbox = $1`, mailbox)
}
