package flow

import (
	"context"
	"time"

	"portico/internal/account"
	"portico/internal/audit"
	"portico/internal/fault"
	"portico/internal/session"
)

// LeaveUser disables an account, which EraseDue erases after account.Grace. Until then,
// SetUserState can undo it, and nobody else: the owner cannot sign in. typed must be the
// address of the account. It returns when the account is erased.
//
// Faults: the field email, AdminSelf, AdminLast, account.Missing.
func (f *Operator) LeaveUser(ctx context.Context, by Actor, id, typed string) (erase time.Time, err error) {
	address, bad := account.ParseAddress(typed, "email")
	if bad != nil {
		return erase, fault.InvalidFields(*bad)
	}
	err = f.removing(ctx, by, id, func(tx Tx, a cleared) error {
		if a.Address.Key != address.Key {
			return fault.InvalidFields(fault.Field{Name: "email", Code: account.CodeMissing})
		}
		now := f.clock.Now()
		d := account.Departure{AccountID: id, LeftAt: now, EraseAt: now.Add(account.Grace)}
		if _, err := tx.DeleteDeparture(ctx, id); err != nil {
			return err
		}
		if err := tx.InsertDeparture(ctx, d); err != nil {
			return err
		}
		if _, err := tx.UpdateState(ctx, id, account.DisabledByOperator); err != nil {
			return err
		}
		if err := f.endAll(ctx, tx, id, "", session.Closed); err != nil {
			return err
		}
		erase = d.EraseAt
		return f.report(ctx, tx, by.caller, a.Account, by.fact(audit.AccountDisabled, id, detailErased))
	})
	return erase, err
}

// detailErased is the detail of the record of an account that is disabled until it is erased.
const detailErased = "erased"
