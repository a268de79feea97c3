package flow

import (
	"context"

	"portico/internal/account"
)

// addressee is whose a typed address is. The zero value stands for no account.
type addressee struct {
	owner *account.Account
	use   account.Use // "" for the primary address
	at    account.Address
}

// addressed returns whose an address is. It costs the same with and without an
// account. An address that is only kept belongs to no account.
func (f *core) addressed(ctx context.Context, tx account.Store, key string) (addressee, error) {
	o, other, err := tx.AddressByKey(ctx, key, f.clock.Now())
	if err != nil {
		return addressee{}, err
	}
	if !other || !o.Own() {
		owner, err := f.known(ctx, tx, key)
		if err != nil || owner == nil {
			return addressee{}, err
		}
		return addressee{owner: owner, at: owner.Address}, nil
	}
	owner, ok, err := tx.AccountByID(ctx, o.AccountID)
	if err != nil || !ok {
		return addressee{}, err
	}
	return addressee{owner: &owner, use: o.Use, at: o.Address}, nil
}

// known returns the account that a flow of the kind is about, nil for none. The
// primary address is good for everything, the one for recovery for a recovery.
func (a addressee) known(k Kind) *account.Account {
	if a.use == "" || k == Recovery && a.use == account.Recovery {
		return a.owner
	}
	return nil
}

// besides returns the addressee of an address that the account wants to have:
// the zero value if it is one of its own.
func (a addressee) besides(id string) addressee {
	if a.owner != nil && a.owner.ID == id {
		return addressee{}
	}
	return a
}
