package store

import (
	"bytes"
	"context"
)

// KeepKeyCheck stores the check value of the master key and the purpose of the
// database, unless they are stored already. It reports whether the stored value
// equals the given one.
func (t *Tx) KeepKeyCheck(ctx context.Context, check []byte, purpose Purpose) (bool, error) {
	_, err := t.exec(ctx, `INSERT INTO installation (id, purpose, key_check, hash_cost, lineage) VALUES (1, $2, $1, '', '') ON CONFLICT (id) DO NOTHING`, check, string(purpose))
	if err != nil {
		return false, err
	}
	stored, _, err := t.KeyCheck(ctx)
	return bytes.Equal(stored, check), err
}

// KeyCheck returns the stored check value. A database without one holds nothing
// yet that a key protects.
func (t *Tx) KeyCheck(ctx context.Context) ([]byte, bool, error) {
	return first(ctx, t, `SELECT key_check FROM installation WHERE id = 1`, nil, scanOne[[]byte])
}

// HoldKeyCheck makes ChangeKeyCheck wait for the end of the transaction.
func (t *Tx) HoldKeyCheck(ctx context.Context) error {
	_, _, err := first(ctx, t, `SELECT key_check FROM installation WHERE id = 1`+t.core.Locks.Row, nil, scanOne[[]byte])
	return err
}

// ChangeKeyCheck replaces the stored check value if it still is before, and reports
// whether it was.
func (t *Tx) ChangeKeyCheck(ctx context.Context, before, after []byte) (bool, error) {
	return t.one(ctx, `UPDATE installation SET key_check = $2 WHERE id = 1 AND key_check = $1`, before, after)
}

// HashCost returns the cost of a password hash that KeepHashCost stored last.
func (t *Tx) HashCost(ctx context.Context) (string, bool, error) {
	return first(ctx, t, `SELECT hash_cost FROM installation WHERE id = 1 AND hash_cost <> ''`, nil, scanOne[string])
}

// KeepHashCost replaces the stored cost of a password hash. It comes after
// KeepKeyCheck, which makes the row.
func (t *Tx) KeepHashCost(ctx context.Context, cost string) error {
	return t.run(ctx, `UPDATE installation SET hash_cost = $1 WHERE id = 1`, cost)
}
