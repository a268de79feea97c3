package store

import (
	"context"
	"time"

	"portico/internal/audit"
)

// Chain implements audit.SealStore.
func (t *Tx) Chain(ctx context.Context) (audit.Chain, error) {
	return only(ctx, t, `SELECT sealed, began_at, number, hash, until, proof FROM audit_chain WHERE id = 'audit'`, nil,
		func(row scanner) (c audit.Chain, err error) {
			var began, until int64
			err = row.Scan(&c.Sealed, &began, &c.Number, &c.Hash, &until, &c.Proof)
			c.BeganAt, c.Until = fromMicros(began), fromMicros(until)
			return c, err
		})
}

// BeginChain implements audit.SealStore.
func (t *Tx) BeginChain(ctx context.Context, c audit.Chain) error {
	return t.run(ctx, `INSERT INTO audit_chain (id, sealed, began_at, number, hash, until, proof) VALUES ('audit', $1, $2, $3, $4, $5, $6)`,
		c.Sealed, micros(c.BeganAt), c.Number, c.Hash, micros(c.Until), c.Proof)
}

// KeepChain implements audit.SealStore.
func (t *Tx) KeepChain(ctx context.Context, c audit.Chain) error {
	return t.run(ctx, `UPDATE audit_chain SET number = $1, hash = $2, until = $3, proof = $4 WHERE id = 'audit'`, c.Number, c.Hash, micros(c.Until), c.Proof)
}

const sealColumns = `number, first_at, last_at, last_id, records, sealed_at, hash`

func scanSeal(row scanner) (s audit.Seal, err error) {
	var firstAt, last, sealed int64
	err = row.Scan(&s.Number, &firstAt, &last, &s.Last.ID, &s.Records, &sealed, &s.Hash)
	s.FirstAt, s.Last.At, s.SealedAt = fromMicros(firstAt), fromMicros(last), fromMicros(sealed)
	return s, err
}

// NewestSeal implements audit.SealStore.
func (t *Tx) NewestSeal(ctx context.Context) (audit.Seal, error) {
	return only(ctx, t, `SELECT `+sealColumns+` FROM audit_seal WHERE number > 0 ORDER BY number DESC LIMIT 1`, nil, scanSeal)
}

// Seals implements audit.SealStore.
func (t *Tx) Seals(ctx context.Context, after int64, limit int) ([]audit.Seal, error) {
	return collect(ctx, t, `SELECT `+sealColumns+` FROM audit_seal WHERE number > $1 ORDER BY number LIMIT CAST($2 AS BIGINT)`, []any{after, limit}, scanSeal)
}

// InsertSeal implements audit.SealStore.
func (t *Tx) InsertSeal(ctx context.Context, s audit.Seal) error {
	return t.run(ctx, `INSERT INTO audit_seal (number, first_at, last_at, last_id, records, sealed_at, hash) VALUES ($1, $2, $3, $4, $5, $6, $7)`,
		s.Number, micros(s.FirstAt), micros(s.Last.At), s.Last.ID, s.Records, micros(s.SealedAt), s.Hash)
}

// ReleaseSeals implements audit.SealStore.
func (t *Tx) ReleaseSeals(ctx context.Context, number int64) error {
	if _, err := t.exec(ctx, `DELETE FROM audit WHERE seal > 0 AND seal <= $1 AND seal <> 0`, number); err != nil {
		return err
	}
	return t.run(ctx, `DELETE FROM audit_seal WHERE number <= $1`, number)
}

// Unsealed implements audit.SealStore. PostgreSQL chooses the partitions by the time alone.
func (t *Tx) Unsealed(ctx context.Context, after audit.Position, before time.Time, limit int) ([]audit.Fact, error) {
	return collect(ctx, t, `SELECT `+factColumns+` FROM audit WHERE at >= $1 AND (at, id) > ($1, $2) AND at < $3 AND seal <= 0
		ORDER BY at, id LIMIT CAST($4 AS BIGINT)`, []any{micros(after.At), after.ID, micros(before), limit}, scanFact)
}

// LateFacts implements audit.SealStore.
func (t *Tx) LateFacts(ctx context.Context, to audit.Position, limit int) ([]audit.Fact, error) {
	return collect(ctx, t, `SELECT `+factColumns+` FROM audit WHERE seal = -1 AND seal <> 0 AND (at, id) <= ($1, $2)
		ORDER BY at, id LIMIT CAST($3 AS BIGINT)`, []any{micros(to.At), to.ID, limit}, scanFact)
}

// AssignSeal implements audit.SealStore.
func (t *Tx) AssignSeal(ctx context.Context, f audit.Fact, number int64) error {
	return t.run(ctx, `UPDATE audit SET seal = $3 WHERE at = $1 AND id = $2`, micros(f.At), f.ID, number)
}

// FactsOfSeal implements audit.SealStore.
func (t *Tx) FactsOfSeal(ctx context.Context, after audit.Position, s audit.Seal) ([]audit.Fact, error) {
	inRange, err := collect(ctx, t, `SELECT `+factColumns+` FROM audit WHERE at >= $1 AND (at, id) > ($1, $2) AND at <= $3 AND (at, id) <= ($3, $4) AND seal = 0
		LIMIT CAST($5 AS BIGINT)`, []any{micros(after.At), after.ID, micros(s.Last.At), s.Last.ID, s.Records + 1}, scanFact)
	if err != nil {
		return nil, err
	}
	late, err := collect(ctx, t, `SELECT `+factColumns+` FROM audit WHERE seal = $1 AND seal <> 0 LIMIT CAST($2 AS BIGINT)`, []any{s.Number, s.Records + 1}, scanFact)
	return append(inRange, late...), err
}

// StrayFacts implements audit.SealStore.
func (t *Tx) StrayFacts(ctx context.Context, gone, newest int64) (n int64, err error) {
	return only(ctx, t, `SELECT (SELECT COUNT(*) FROM audit WHERE seal < -1 AND seal <> 0) + (SELECT COUNT(*) FROM audit WHERE seal > $2 AND seal <> 0)
		+ (SELECT COUNT(*) FROM audit WHERE seal > 0 AND seal <= $1 AND seal <> 0)`, []any{gone, newest}, scanOne[int64])
}
