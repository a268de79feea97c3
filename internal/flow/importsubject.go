package flow

import (
	"context"

	"portico/internal/account"
)

// Imported returns some of the accounts that have kept what another system calls them, in the order of their
// ids after the given one. It returns none at the end.
func (f *Operator) Imported(ctx context.Context, after string) (page []account.Imported, err error) {
	err = f.store.Read(ctx, func(tx Tx) error {
		page, err = tx.Imported(ctx, after, account.MostPeople)
		return err
	})
	return page, err
}
