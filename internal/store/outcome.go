package store

import (
	"context"

	"portico/internal/outbox"
)

const outcomeColumns = `id, mailbox, template, asked_at, state_at, state, answer`

// InsertOutcome implements outbox.OutcomeStore.
func (t *Tx) InsertOutcome(ctx context.Context, o outbox.Outcome) error {
	return t.run(ctx, `INSERT INTO email_outcome (`+outcomeColumns+`) VALUES ($1, $2, $3, $4, $5, $6, $7)`,
		o.ID, o.Mailbox, o.Template, micros(o.AskedAt), micros(o.At), string(o.State), o.Answer)
}

// UpdateOutcome implements outbox.OutcomeStore.
func (t *Tx) UpdateOutcome(ctx context.Context, o outbox.Outcome) error {
	return t.run(ctx, `UPDATE email_outcome SET state_at = $2, state = $3, answer = $4 WHERE id = $1`, o.ID, micros(o.At), string(o.State), o.Answer)
}

// OutcomesOf implements outbox.OutcomeStore.
func (t *Tx) OutcomesOf(ctx context.Context, mailbox []byte, limit int) ([]outbox.Outcome, error) {
	return collect(ctx, t, `SELECT `+outcomeColumns+` FROM email_outcome WHERE mailbox = $1 ORDER BY asked_at DESC, id DESC LIMIT CAST($2 AS BIGINT)`,
		[]any{mailbox, limit}, func(row scanner) (outbox.Outcome, error) {
			var o outbox.Outcome
			var asked, at int64
			err := row.Scan(&o.ID, &o.Mailbox, &o.Template, &asked, &at, &o.State, &o.Answer)
			o.AskedAt, o.At = fromMicros(asked), fromMicros(at)
			return o, err
		})
}
