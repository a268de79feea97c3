package store

import (
	"context"
	"slices"
	"strconv"
	"strings"
	"time"

	"portico/internal/outbox"
)

const outboxColumns = `id, template, account_id, payload, created_at, not_after, due_at, dead_at, claims, failures, uncertain, reason, client_id, lane`

func scanOutbox(row scanner) (outbox.Record, error) {
	var r outbox.Record
	var created, notAfter, due, dead int64
	err := row.Scan(&r.ID, &r.Template, &r.AccountID, &r.Payload, &created, &notAfter, &due, &dead,
		&r.Claims, &r.Failures, &r.Uncertain, &r.Reason, &r.ClientID, &r.Lane)
	r.CreatedAt, r.NotAfter, r.DueAt, r.DeadAt = fromMicros(created), fromMicros(notAfter), fromMicros(due), fromMicros(dead)
	return r, err
}

// InsertMessage implements outbox.Store.
func (t *Tx) InsertMessage(ctx context.Context, all ...outbox.Record) error {
	messages := rows{table: "outbox", columns: outboxColumns}
	for _, r := range all {
		messages.add(r.ID, r.Template, r.AccountID, r.Payload, micros(r.CreatedAt), micros(r.NotAfter), micros(r.DueAt), micros(r.DeadAt),
			r.Claims, r.Failures, r.Uncertain, r.Reason, r.ClientID, r.Lane)
	}
	return t.insert(ctx, messages)
}

// ClaimMessages implements outbox.Store. Concurrent callers get different rows. PostgreSQL may run a query that locks
// once for each row if it stands below IN, and each run passes over the rows of those before it, so that LIMIT has no
// effect. A WITH that locks runs once. While a move waits for messages that are being sent, no caller gets any.
func (t *Tx) ClaimMessages(ctx context.Context, lane outbox.Lane, now, until time.Time, limit int, busy ...string) ([]outbox.Record, error) {
	args, of := []any{micros(now), micros(until), limit, lane}, "lane = $4"
	for _, client := range busy {
		args = append(args, client)
		of += " AND client_id <> $" + strconv.Itoa(len(args))
	}
	return collect(ctx, t, `WITH free AS (SELECT id FROM outbox WHERE dead_at = 0 AND due_at <= $1 AND `+of+`
			AND NOT EXISTS (SELECT 1 FROM move WHERE move.id = 1 AND until > $1) ORDER BY due_at LIMIT CAST($3 AS BIGINT)`+t.core.Locks.Free+`)
		UPDATE outbox SET due_at = $2, claims = claims + 1, uncertain = uncertain + 1 WHERE id IN (SELECT id FROM free)
		RETURNING `+outboxColumns, args, scanOutbox)
}

// HastenMessages implements outbox.Store.
func (t *Tx) HastenMessages(ctx context.Context, lane outbox.Lane, now, horizon time.Time, limit int) (int64, error) {
	return t.exec(ctx, `UPDATE outbox SET due_at = $1, failures = 0 WHERE dead_at = 0 AND due_at > $2
		AND id IN (SELECT id FROM outbox WHERE dead_at = 0 AND lane = $3 AND due_at > $2 LIMIT CAST($4 AS BIGINT))`, micros(now), micros(horizon), lane, limit)
}

// SettleMessage implements outbox.Store.
func (t *Tx) SettleMessage(ctx context.Context, r outbox.Record) (bool, error) {
	return t.one(ctx, `UPDATE outbox SET due_at = $3, dead_at = $4, failures = $5, uncertain = $6, reason = $7
		WHERE id = $1 AND claims = $2`,
		r.ID, r.Claims, micros(r.DueAt), micros(r.DeadAt), r.Failures, r.Uncertain, r.Reason)
}

// DeleteMessage implements outbox.Store.
func (t *Tx) DeleteMessage(ctx context.Context, id string) error {
	return t.run(ctx, `DELETE FROM outbox WHERE id = $1`, id)
}

// Message implements outbox.Store.
func (t *Tx) Message(ctx context.Context, id string) (outbox.Record, bool, error) {
	return first(ctx, t, `SELECT `+outboxColumns+` FROM outbox WHERE id = $1`, []any{id}, scanOutbox)
}

// WaitingMessages implements outbox.Store.
func (t *Tx) WaitingMessages(ctx context.Context, limit int, lanes ...outbox.Lane) ([]outbox.Record, error) {
	return collect(ctx, t, waitingIn(lanes, outboxColumns)+` ORDER BY due_at, id LIMIT CAST($1 AS BIGINT)`, []any{limit}, scanOutbox)
}

// waitingIn is the query of the messages of lanes that wait, or of all lanes. It reads each lane by its index, up to $1.
func waitingIn(lanes []outbox.Lane, columns string) string {
	var each []string
	for lane := range outbox.Lane(outbox.Lanes) {
		if len(lanes) == 0 || slices.Contains(lanes, lane) {
			each = append(each, `SELECT * FROM (SELECT `+columns+` FROM outbox WHERE dead_at = 0 AND lane = `+strconv.Itoa(int(lane))+` ORDER BY due_at LIMIT CAST($1 AS BIGINT)) looked`)
		}
	}
	return strings.Join(each, " UNION ALL ")
}

// DeadMessages implements outbox.Store.
func (t *Tx) DeadMessages(ctx context.Context, limit int) ([]outbox.Record, error) {
	return collect(ctx, t, `SELECT `+outboxColumns+` FROM outbox WHERE dead_at > 0 ORDER BY dead_at DESC, id LIMIT CAST($1 AS BIGINT)`,
		[]any{limit}, scanOutbox)
}

// ReviveMessages implements outbox.Store.
func (t *Tx) ReviveMessages(ctx context.Context, id string, now time.Time, limit int) ([]outbox.Record, error) {
	return collect(ctx, t, `UPDATE outbox SET due_at = $2, dead_at = 0, failures = 0, uncertain = 0
		WHERE dead_at > 0 AND id IN (SELECT id FROM outbox WHERE dead_at > 0 AND (id = $1 OR $1 = '' AND dead_at < $2)
			AND (not_after = 0 OR not_after > $2) LIMIT CAST($3 AS BIGINT))
		RETURNING `+outboxColumns, []any{id, micros(now), limit}, scanOutbox)
}

// CountMessages implements outbox.Store.
func (t *Tx) CountMessages(ctx context.Context) (outbox.Counts, error) {
	const columns = `lane, dead_at, created_at`
	counts := outbox.Counts{}
	_, err := collect(ctx, t, `SELECT lane, COUNT(*) FILTER (WHERE dead_at = 0), COUNT(*) FILTER (WHERE dead_at > 0), COALESCE(MIN(created_at) FILTER (WHERE dead_at = 0), 0)
		FROM (`+waitingIn(nil, columns)+` UNION ALL SELECT * FROM (SELECT `+columns+` FROM outbox WHERE dead_at > 0 ORDER BY dead_at DESC LIMIT CAST($1 AS BIGINT)) looked) looked
		GROUP BY lane`, []any{outbox.MostCounted},
		func(row scanner) (lane outbox.Lane, err error) {
			var c outbox.Count
			var oldest int64
			err = row.Scan(&lane, &c.Waiting, &c.Dead, &oldest)
			c.Oldest = fromMicros(oldest)
			counts[lane] = c
			return lane, err
		})
	return counts, err
}
