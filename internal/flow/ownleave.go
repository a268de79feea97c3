package flow

import (
	"context"

	"portico/internal/account"
	"portico/internal/audit"
	"portico/internal/session"
)

// LeaveAccount closes the account of the signed-in user: every session and
// everything that apps have obtained from it ends. A sign-in within account.Grace can take
// it back, and then EraseDue erases it. The owner gets an email.
//
// Faults: AdminLast, ProofNeeded, session.Required.
func (f *Owner) LeaveAccount(ctx context.Context, c Caller, found session.Found) error {
	return f.guarded(ctx, found, func(tx Tx, owner cleared) error {
		if err := f.notLast(ctx, tx, owner.Account); err != nil {
			return err
		}
		now := f.clock.Now()
		d := account.Departure{AccountID: owner.ID, LeftAt: now, EraseAt: now.Add(account.Grace)}
		if err := tx.InsertDeparture(ctx, d); err != nil {
			return err
		}
		if err := tx.UpdateState(ctx, owner.ID, account.Leaving); err != nil {
			return err
		}
		if err := f.endAll(ctx, tx, owner.ID, "", session.Deleted); err != nil {
			return err
		}
		change := fact(c, audit.AccountLeft, owner.ID, "")
		if err := f.record.Add(ctx, tx, change); err != nil {
			return err
		}
		if err := f.resigns(ctx, tx, owner.Account, change); err != nil {
			return err
		}
		return f.post(ctx, tx, c, email{template: mailLeft, owner: &owner.Account, eraseAt: d.EraseAt})
	})
}

// KeepAccount takes a closed account back, and ends the sign-in that waits for it.
// The owner gets an email.
//
// Faults: Unknown, Overtaken, Moved.
func (f *Flows) KeepAccount(ctx context.Context, c Caller, flowID string) (r Result, err error) {
	ctx, w := f.watch(ctx, "keep", Return)
	defer w.end(&r, &err)
	return f.answer(ctx, c, flowID, Return, func(tx Tx, c Caller, p Pending, d data) (Result, error) {
		owner, err := f.waits(ctx, tx, p, d)
		if err != nil {
			return Result{}, err
		}
		if err := f.takeBack(ctx, tx, c, &owner); err != nil {
			return Result{}, err
		}
		return f.resume(ctx, tx, c, owner, p, d)
	})
}

// takeBack opens a closed account again.
func (f *Flows) takeBack(ctx context.Context, tx Tx, c Caller, owner *judged) error {
	if _, err := tx.DeleteDeparture(ctx, owner.ID); err != nil {
		return err
	}
	if err := tx.UpdateState(ctx, owner.ID, account.Active); err != nil {
		return err
	}
	owner.State = account.Active
	owner.raised()
	return f.note(ctx, tx, c, owner.Account, audit.AccountKept, "", mailKept)
}
