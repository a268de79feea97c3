package flow

import (
	"context"

	"portico/internal/audit"
	"portico/internal/signingkey"
)

// SigningKeys lists the signing keys, the oldest of each algorithm first.
func (f *Operator) SigningKeys(ctx context.Context) ([]signingkey.Entry, error) {
	return read(ctx, f.store, func(tx Tx) ([]signingkey.Entry, error) { return f.keys.List(ctx, tx) })
}

// RotateKey publishes the next signing key of each algorithm, and returns the key of
// ES256. If a next key is already published, it returns that key.
func (f *Operator) RotateKey(ctx context.Context, by Actor) (key signingkey.Entry, err error) {
	err = f.acts(ctx, by, func(tx Tx) error {
		list, made, err := f.keys.Rotate(ctx, tx)
		if err != nil {
			return err
		}
		key = list[0]
		return f.recordKeys(ctx, tx, by, made)
	})
	return key, err
}

func (f *Operator) recordKeys(ctx context.Context, tx Tx, by Actor, made []string) error {
	for _, id := range made {
		if err := f.record.Add(ctx, tx, by.fact(audit.KeyRotated, "", id)); err != nil {
			return err
		}
	}
	return nil
}

// RevokeKey revokes a signing key, or returns signingkey.Missing.
func (f *Operator) RevokeKey(ctx context.Context, by Actor, id string) error {
	return f.acts(ctx, by, func(tx Tx) error {
		made, err := f.keys.Revoke(ctx, tx, id)
		if err != nil {
			return err
		}
		if err := f.record.Add(ctx, tx, by.fact(audit.KeyRevoked, "", id)); err != nil {
			return err
		}
		return f.recordKeys(ctx, tx, by, made)
	})
}
