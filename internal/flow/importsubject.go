package flow

import (
	"context"

	"portico/internal/account"
)

// Imported returns some of the accounts that have kept what another system calls them, in the order of their
// ids after the given one. It returns none at the end.
func (f *Operator) Imported(ctx context.Context, after string) ([]account.Imported, error) {
	return read(ctx, f.store, func(tx Tx) ([]account.Imported, error) { return tx.Imported(ctx, after, account.MostPeople) })
}
