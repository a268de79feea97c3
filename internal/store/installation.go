package store

import (
	"bytes"
	"context"
)

// KeepKeyCheck stores the check value of the master key when there is none
// yet, and reports whether the stored one is the given one.
func (t *Tx) KeepKeyCheck(ctx context.Context, check []byte) (bool, error) {
	_, err := t.exec(ctx, `INSERT INTO installation (id, key_check) VALUES (1, $1) ON CONFLICT (id) DO NOTHING`, check)
	if err != nil {
		return false, err
	}
	stored, _, err := t.KeyCheck(ctx)
	return bytes.Equal(stored, check), err
}

// KeyCheck returns the stored check value. Without one the database holds
// nothing yet that a key protects.
func (t *Tx) KeyCheck(ctx context.Context) ([]byte, bool, error) {
	return first(ctx, t, `SELECT key_check FROM installation WHERE id = 1`, nil, func(row scanner) ([]byte, error) {
		var check []byte
		err := row.Scan(&check)
		return check, err
	})
}
