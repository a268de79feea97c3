package flow

import (
	"context"
	"strings"
	"time"

	"portico/internal/account"
	"portico/internal/audit"
	"portico/internal/fault"
	"portico/internal/session"
)

// ScheduleErasure disables an account, which EraseDue erases after account.Grace. Until then,
// RestoreUser and SetUserState can undo it, and nobody else: the owner cannot sign in. typed must be the
// address of the account. It returns when the account is erased.
//
// Faults: the field email, AdminSelf, AdminLast, account.Missing.
func (f *Operator) ScheduleErasure(ctx context.Context, by Actor, id, typed string) (erase time.Time, err error) {
	address, bad := account.ParseAddress(typed, "email")
	if bad != nil {
		return erase, fault.InvalidFields(*bad)
	}
	err = f.removing(ctx, by, id, func(tx Tx, a cleared) error {
		if a.Address.Key != address.Key {
			return fault.InvalidFields(fault.Field{Name: "email", Code: CodeOtherAddress})
		}
		former, err := f.formerly(ctx, tx, a)
		if err != nil {
			return err
		}
		detail := detailErased
		if former != account.Active {
			detail += "," + string(former)
		}
		d, leaves, err := tx.DepartureOf(ctx, id)
		if err == nil && !leaves { // a deletion is not put off
			now := f.clock.Now()
			d = account.Departure{AccountID: id, LeftAt: now, EraseAt: now.Add(account.Grace)}
			err = tx.InsertDeparture(ctx, d)
		}
		if err != nil {
			return err
		}
		if err := tx.UpdateState(ctx, id, account.DisabledByOperator); err != nil {
			return err
		}
		if err := f.endAll(ctx, tx, id, "", session.Disabled); err != nil {
			return err
		}
		erase = d.EraseAt
		change := by.fact(audit.AccountDisabled, id, detail)
		if err := f.resigns(ctx, tx, a.Account, change); err != nil {
			return err
		}
		return f.report(ctx, tx, by.caller, a.Account, change)
	})
	return erase, err
}

// RestoreUser undoes ScheduleErasure, or a closing by the owner. An account that was disabled before
// its deletion or since, or whose end has come meanwhile, stays disabled. One that waited for an approval waits again, and one
// that its owner had closed is closed again. Otherwise RestoreUser opens the account, as SetUserState does.
//
// Faults: account.Missing.
func (f *Operator) RestoreUser(ctx context.Context, by Actor, id string) error {
	return f.change(ctx, by, id, func(tx Tx, a cleared) error {
		former, err := f.formerly(ctx, tx, a)
		if err != nil {
			return err
		}
		switch {
		case a.Ended(f.clock.Now()) && former != account.Waiting:
			former = account.DisabledByOperator
		case former == account.Active, a.State == account.Leaving:
			return f.setState(ctx, tx, by, a, account.Active, detailRestored)
		}
		if former != account.Leaving {
			if undone, err := tx.DeleteDeparture(ctx, id); err != nil || !undone {
				return err
			}
		}
		if err := tx.UpdateState(ctx, id, former); err != nil {
			return err
		}
		if err := f.endAll(ctx, tx, id, "", session.Disabled); err != nil {
			return err
		}
		return f.record.Add(ctx, tx, by.fact(audit.AccountDisabled, id, detailRestored)) // nothing changes for the owner
	})
}

// formerly returns the state of an account, or the one before ScheduleErasure, which its record has.
// Without that record the account counts as disabled.
func (f *Operator) formerly(ctx context.Context, tx Tx, a cleared) (account.State, error) {
	_, leaves, err := tx.DepartureOf(ctx, a.ID)
	if err != nil || !leaves || a.State != account.DisabledByOperator {
		return a.State, err
	}
	last, err := tx.FactsOf(ctx, a.ID, "", 1, audit.AccountDisabled)
	if err != nil || len(last) == 0 {
		return account.DisabledByOperator, err
	}
	was, erased := strings.CutPrefix(last[0].Detail, detailErased)
	switch {
	case !erased: // disabled since
		return account.DisabledByOperator, nil
	case was == "":
		return account.Active, nil
	}
	return account.State(was[len(","):]), nil
}

// The details of the records of an account that is disabled until it is erased, and of one
// that was restored.
const (
	detailErased   = "erased" // with the state before, unless it was open
	detailRestored = "restored"
)
