package store

import (
	"context"
	"slices"
	"time"

	"portico/internal/account"
	"portico/internal/webhook"
)

const deliveryColumns = `id, webhook, account_id, seq, type, change, actor, at, state, due_at, until_at, claims, failures, status, answer, tried_at, ended_at`

func scanDelivery(row scanner) (d webhook.Delivery, err error) {
	var at, due, until, tried, ended int64
	err = row.Scan(&d.ID, &d.Webhook, &d.AccountID, &d.Seq, &d.Type, &d.Change, &d.Actor, &at, &d.State, &due, &until, &d.Claims, &d.Failures, &d.Status, &d.Answer, &tried, &ended)
	d.At, d.DueAt, d.Until, d.TriedAt, d.EndedAt = fromMicros(at), fromMicros(due), fromMicros(until), fromMicros(tried), fromMicros(ended)
	return d, err
}

// newestDelivery holds the last delivery of an account that has not ended. If it ends at this moment,
// there is none: so the next one is never left held.
func (t *Tx) newestDelivery(ctx context.Context, hook, accountID string) (seq int64, some bool, err error) {
	return first(ctx, t, `SELECT seq FROM webhook_delivery WHERE webhook = $1 AND account_id = $2 AND ended_at = 0 ORDER BY seq DESC LIMIT 1`+t.core.Locks.Row,
		[]any{hook, accountID}, scanOne[int64])
}

func stateAfter(some bool) webhook.State {
	if some {
		return webhook.Held
	}
	return webhook.Waiting
}

// InsertDelivery implements webhook.Store.
func (t *Tx) InsertDelivery(ctx context.Context, d webhook.Delivery) error {
	last, some, err := t.newestDelivery(ctx, d.Webhook, d.AccountID)
	if err != nil {
		return err
	}
	return t.run(ctx, `INSERT INTO webhook_delivery (`+deliveryColumns+`) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, 0, 0, 0, '', 0, 0)`,
		d.ID, d.Webhook, d.AccountID, last+1, d.Type, d.Change, d.Actor, micros(d.At), string(stateAfter(some)), micros(d.DueAt), micros(d.Until))
}

// ClaimDeliveries implements webhook.Store, as ClaimMessages does. While a move waits for messages that are being sent, no caller gets any.
func (t *Tx) ClaimDeliveries(ctx context.Context, hook string, now, until time.Time, limit int) ([]webhook.Delivery, error) {
	return collect(ctx, t, `WITH free AS (SELECT id FROM webhook_delivery WHERE webhook = $1 AND state = 'waiting' AND due_at <= $2
			AND NOT EXISTS (SELECT 1 FROM move WHERE move.id = 1 AND until > $2) ORDER BY due_at LIMIT CAST($4 AS BIGINT)`+t.core.Locks.Free+`)
		UPDATE webhook_delivery SET due_at = $3, claims = claims + 1 WHERE id IN (SELECT id FROM free)
		RETURNING `+deliveryColumns, []any{hook, micros(now), micros(until), limit}, scanDelivery)
}

// HastenDeliveries implements webhook.Store.
func (t *Tx) HastenDeliveries(ctx context.Context, hook string, now, horizon time.Time, limit int) error {
	return t.run(ctx, `UPDATE webhook_delivery SET due_at = $2, failures = 0 WHERE webhook = $1 AND state = 'waiting' AND due_at > $3
		AND id IN (SELECT id FROM webhook_delivery WHERE webhook = $1 AND state = 'waiting' AND due_at > $3 LIMIT CAST($4 AS BIGINT))`, hook, micros(now), micros(horizon), limit)
}

// PostponeDelivery implements webhook.Store.
func (t *Tx) PostponeDelivery(ctx context.Context, d webhook.Delivery) error {
	return t.run(ctx, `UPDATE webhook_delivery SET due_at = $3, failures = $4, status = $5, answer = $6, tried_at = $7 WHERE id = $1 AND claims = $2 AND state NOT IN ('delivered', 'dropped')`,
		d.ID, d.Claims, micros(d.DueAt), d.Failures, d.Status, d.Answer, micros(d.TriedAt))
}

// EndDelivery implements webhook.Store.
func (t *Tx) EndDelivery(ctx context.Context, d webhook.Delivery) (bool, error) {
	n, err := t.exec(ctx, `UPDATE webhook_delivery SET state = $3, failures = $4, status = $5, answer = $6, tried_at = $7, ended_at = $8
		WHERE id = $1 AND (claims = $2 OR $3 = 'delivered') AND state NOT IN ('delivered', 'dropped')`,
		d.ID, d.Claims, string(d.State), d.Failures, d.Status, d.Answer, micros(d.TriedAt), micros(d.EndedAt))
	if err != nil || n == 0 {
		return false, err
	}
	_, err = t.exec(ctx, `UPDATE webhook_delivery SET state = 'waiting', due_at = $3 WHERE state = 'held' AND id = (
		SELECT id FROM webhook_delivery WHERE webhook = $1 AND account_id = $2 AND ended_at = 0 ORDER BY seq LIMIT 1)`, d.Webhook, d.AccountID, micros(d.EndedAt))
	return true, err
}

// RetryDeliveries implements webhook.Store.
func (t *Tx) RetryDeliveries(ctx context.Context, hook, id string, before, now, until time.Time, limit int) (int, error) {
	where, args := `state = 'dropped'`, []any{hook, limit}
	switch {
	case id != "":
		where, args = `ended_at > 0 AND id = $3`, append(args, id)
	case !before.IsZero():
		where, args = where+` AND ended_at < $3`, append(args, micros(before))
	}
	ended, err := collect(ctx, t, `SELECT `+deliveryColumns+` FROM webhook_delivery WHERE webhook = $1 AND `+where+` ORDER BY at, id LIMIT CAST($2 AS BIGINT)`+t.core.Locks.Row,
		args, scanDelivery)
	for _, d := range ended {
		if err != nil {
			break
		}
		var last int64
		var some bool
		if last, some, err = t.newestDelivery(ctx, hook, d.AccountID); err == nil {
			_, err = t.exec(ctx, `UPDATE webhook_delivery SET seq = $2, state = $3, due_at = $4, until_at = $5, failures = 0, ended_at = 0 WHERE id = $1`,
				d.ID, last+1, string(stateAfter(some)), micros(now), micros(until))
		}
	}
	return len(ended), err
}

// Deliveries implements webhook.Store.
func (t *Tx) Deliveries(ctx context.Context, hook, before string, limit int) ([]webhook.Delivery, error) {
	where, args := "", []any{hook, limit}
	if before != "" {
		at, id, ok := webhook.ParsePlace(before)
		if !ok {
			return nil, account.BadCursor
		}
		where, args = ` AND (at, id) < ($3, $4)`, append(args, micros(at), id)
	}
	return collect(ctx, t, `SELECT `+deliveryColumns+` FROM webhook_delivery WHERE webhook = $1`+where+` ORDER BY at DESC, id DESC LIMIT CAST($2 AS BIGINT)`, args, scanDelivery)
}

// CountDeliveries implements webhook.Store.
func (t *Tx) CountDeliveries(ctx context.Context, hook string, most int) (webhook.Counts, error) {
	return only(ctx, t, `SELECT COUNT(*), COALESCE(MIN(at), 0), COALESCE((SELECT MIN(at) FROM (
			SELECT at, failures FROM webhook_delivery WHERE webhook = $1 AND state = 'waiting' ORDER BY due_at DESC LIMIT 100) looked WHERE failures > 0), 0)
		FROM (SELECT at FROM webhook_delivery WHERE webhook = $1 AND ended_at = 0 ORDER BY at LIMIT CAST($2 AS BIGINT)) looked`, []any{hook, most}, func(row scanner) (c webhook.Counts, err error) {
		var oldest, failing int64
		err = row.Scan(&c.Waiting, &oldest, &failing)
		c.Oldest, c.Failing = fromMicros(oldest), fromMicros(failing)
		return c, err
	})
}

// ForgetDeliveries implements webhook.Store. It finds each name by one look into the index: for <>, both engines would read
// all deliveries of a week.
func (t *Tx) ForgetDeliveries(ctx context.Context, hooks []string, before time.Time, limit int) (n int64, err error) {
	names, err := collect(ctx, t, `WITH RECURSIVE looked (name) AS (SELECT MIN(webhook) FROM webhook_delivery WHERE webhook > ''
		UNION ALL SELECT (SELECT MIN(webhook) FROM webhook_delivery WHERE webhook > looked.name) FROM looked WHERE looked.name > '')
		SELECT name FROM looked WHERE name > ''`, nil, scanOne[string])
	for _, name := range names {
		if err != nil || n == int64(limit) || slices.Contains(hooks, name) {
			continue
		}
		var gone int64
		gone, err = t.exec(ctx, `DELETE FROM webhook_delivery WHERE id IN (SELECT id FROM webhook_delivery WHERE webhook = $1 AND at < $2 LIMIT CAST($3 AS BIGINT))`,
			name, micros(before), int64(limit)-n)
		n += gone
	}
	return n, err
}
