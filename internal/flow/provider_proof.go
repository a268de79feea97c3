package flow

import "context"

// HasPassword reports whether an account has a password, with which its owner can
// give a new proof if a provider does not confirm one.
func (f *Flows) HasPassword(ctx context.Context, accountID string) (has bool, err error) {
	err = f.store.Read(ctx, func(tx Tx) error {
		a, ok, err := tx.AccountByID(ctx, accountID)
		has = ok && a.Password != ""
		return err
	})
	return has, err
}
