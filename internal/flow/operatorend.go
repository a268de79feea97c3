package flow

import (
	"context"
	"time"

	"portico/internal/account"
	"portico/internal/audit"
	"portico/internal/fault"
	"portico/internal/session"
)

// SetUserEnd sets when an account ends by itself, and tells the owner. The zero time takes
// the end away. It does nothing if the account has this end. It does not open an account that
// is closed already: SetUserState does.
//
// Every judge and every check of a session looks at the end, so it counts from its moment on.
// CloseEnded does the rest.
//
// Faults: the field at for a time that is not in the future, AdminSelf, AdminLast, account.Missing.
func (f *Operator) SetUserEnd(ctx context.Context, by Actor, id string, at time.Time) error {
	at = at.UTC().Truncate(time.Microsecond)
	if !at.IsZero() && !f.clock.Now().Before(at) {
		return fault.InvalidFields(fault.Field{Name: "at", Code: account.CodeEndPast})
	}
	change := f.removing
	if at.IsZero() && !by.own(id) {
		change = f.change
	}
	return change(ctx, by, id, func(tx Tx, a cleared) error {
		if a.EndsAt.Equal(at) {
			return nil
		}
		return f.setEnd(ctx, tx, by, a, at)
	})
}

func (f *Operator) setEnd(ctx context.Context, tx Tx, by Actor, a cleared, at time.Time) error {
	if err := tx.UpdateEnd(ctx, a.ID, at); err != nil {
		return err
	}
	if err := f.sessions.Changed(ctx, tx, a.ID); err != nil { // caches have the former end
		return err
	}
	detail := "never"
	if !at.IsZero() {
		detail = at.Format(time.RFC3339)
	}
	change := by.fact(audit.EndChanged, a.ID, detail)
	if err := f.resigns(ctx, tx, a.Account, change); err != nil { // its end may have come before CloseEnded
		return err
	}
	return f.report(ctx, tx, by.caller, a.Account, change)
}

// CloseEnded disables an account whose end has come, ends its sessions at apps and
// OpenID clients, and tells its owner.
func (f *Operator) CloseEnded(ctx context.Context, tx Tx, id string) error {
	a, ok, err := f.closes(ctx, tx, id) // reading it waits for a change of its end
	if err == nil && ok {
		err = f.closeEnded(ctx, tx, a)
	}
	if err == nil && !a.EndsAt.After(f.clock.Now()) {
		err = tx.DropDueEnd(ctx, id)
	}
	return err
}

func (f *Operator) closeEnded(ctx context.Context, tx Tx, a cleared) error {
	if err := tx.UpdateState(ctx, a.ID, account.DisabledByOperator); err != nil {
		return err
	}
	if err := f.endAll(ctx, tx, a.ID, "", session.Disabled); err != nil {
		return err
	}
	change := ByOperator.fact(audit.AccountDisabled, a.ID, detailEnded)
	if err := f.resigns(ctx, tx, a.Account, change); err != nil {
		return err
	}
	return f.report(ctx, tx, ByOperator.caller, a.Account, change)
}

// detailEnded is the detail of the record of an account that is disabled because its end has come.
const detailEnded = "ended"
