package flow

import "context"

// HasPassword reports whether an account can be signed in to with a password:
// the way that is left when a provider does not confirm a new proof.
func (f *Flows) HasPassword(ctx context.Context, accountID string) (has bool, err error) {
	err = f.store.Read(ctx, func(tx Tx) error {
		a, ok, err := tx.AccountByID(ctx, accountID)
		has = ok && a.Password != ""
		return err
	})
	return has, err
}
