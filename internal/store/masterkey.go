package store

import (
	"context"
	"fmt"
	"strings"
	"time"

	"portico/internal/masterkey"
)

// SealedTable says how a table holds a sealed value. The context is the values of some columns,
// with a space between.
type SealedTable struct {
	Table, Column string
	Context       []string
}

// SealedTableOf returns the table of a place.
func SealedTableOf(place masterkey.Place) (t SealedTable, err error) {
	id := []string{"id"}
	switch place {
	case masterkey.Flows:
		t = SealedTable{"flow", "sealed", id}
	case masterkey.Outbox:
		t = SealedTable{"outbox", "payload", id}
	case masterkey.SigningKeys:
		t = SealedTable{"signing_key", "sealed", id}
	case masterkey.Factors:
		t = SealedTable{"factor", "sealed", []string{"id", "account_id"}}
	case masterkey.Formers:
		t = SealedTable{"former_master_key", "pepper", id}
	case masterkey.Chain:
		t = SealedTable{"audit_chain", "sealed", id}
	case masterkey.Parts:
		t = SealedTable{"job_part", "sealed", id}
	default:
		err = fmt.Errorf("no table holds what is sealed for %q", place)
	}
	return t, err
}

// SealedRows implements masterkey.Store.
func (t *Tx) SealedRows(ctx context.Context, place masterkey.Place, after string, limit int) ([]masterkey.Row, error) {
	at, err := SealedTableOf(place)
	if err != nil {
		return nil, err
	}
	return collect(ctx, t, `SELECT id, `+strings.Join(at.Context, ` || ' ' || `)+`, `+at.Column+` FROM `+at.Table+` WHERE id > $1 ORDER BY id LIMIT CAST($2 AS BIGINT)`, []any{after, limit},
		func(row scanner) (r masterkey.Row, err error) {
			err = row.Scan(&r.ID, &r.Context, &r.Sealed)
			return r, err
		})
}

// Reseal implements masterkey.Store.
func (t *Tx) Reseal(ctx context.Context, place masterkey.Place, id string, before, after []byte) (bool, error) {
	at, err := SealedTableOf(place)
	if err != nil {
		return false, err
	}
	return t.one(ctx, `UPDATE `+at.Table+` SET `+at.Column+` = $3 WHERE id = $1 AND `+at.Column+` = $2`, id, before, after)
}

// FormerKeys implements masterkey.Store.
func (t *Tx) FormerKeys(ctx context.Context) ([]masterkey.Former, error) {
	return collect(ctx, t, `SELECT id, pepper, changed_at, done_at FROM former_master_key WHERE changed_at > 0 ORDER BY changed_at DESC`, nil,
		func(row scanner) (f masterkey.Former, err error) {
			var changed, done int64
			err = row.Scan(&f.ID, &f.Pepper, &changed, &done)
			f.ChangedAt, f.DoneAt = fromMicros(changed), fromMicros(done)
			return f, err
		})
}

// SaveFormerKey implements masterkey.Store.
func (t *Tx) SaveFormerKey(ctx context.Context, f masterkey.Former) error {
	return t.run(ctx, `INSERT INTO former_master_key (id, pepper, changed_at, done_at) VALUES ($1, $2, $3, $4)
		ON CONFLICT (id) DO UPDATE SET pepper = $2, changed_at = $3, done_at = $4`, f.ID, f.Pepper, micros(f.ChangedAt), micros(f.DoneAt))
}

// DeleteFormerKey implements masterkey.Store.
func (t *Tx) DeleteFormerKey(ctx context.Context, id string) error {
	return t.run(ctx, `DELETE FROM former_master_key WHERE id = $1`, id)
}

// OwedToFormerKey implements masterkey.Store.
func (t *Tx) OwedToFormerKey(ctx context.Context, before, now time.Time) (masterkey.Owed, error) {
	return only(ctx, t, `SELECT
		(SELECT COUNT(*) FROM flow WHERE created_at <= $1 AND expires_at > $2 AND step <> 'done'),
		(SELECT COUNT(*) FROM openid_grant WHERE redeemed_at > 0 AND redeemed_at <= $1 AND rotated_at <= $1 AND ended_at = 0 AND expires_at > $2)`,
		[]any{micros(before), micros(now)},
		func(row scanner) (o masterkey.Owed, err error) {
			err = row.Scan(&o.Steps, &o.Grants)
			return o, err
		})
}
