package flow

import (
	"context"

	"portico/internal/account"
	"portico/internal/fault"
)

// People returns a page of the people who match a query.
//
// Faults: the fields q, by, role, state, factor, verified, after and limit.
func (f *Operator) People(ctx context.Context, q account.Query) (account.Page, error) {
	q, bad := q.Checked()
	if bad == nil && q.Role != "" {
		bad = badRole([]string{q.Role})
	}
	if bad != nil {
		return account.Page{}, fault.InvalidFields(*bad)
	}
	return read(ctx, f.store, func(tx Tx) (account.Page, error) { return tx.People(ctx, q, f.clock.Now()) })
}
