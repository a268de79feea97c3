package flow

import (
	"context"

	"portico/internal/account"
	"portico/internal/audit"
	"portico/internal/pages"
	"portico/internal/session"
)

// LeaveAccount closes the account of the signed-in user: every session and
// everything that apps have got from it ends. A sign-in within account.Grace can take
// it back, and then EraseDue erases it. The owner gets an email.
//
// Faults: ProofNeeded, session.Required.
func (f *Owner) LeaveAccount(ctx context.Context, c Caller, found session.Found) error {
	return f.guarded(ctx, found, func(tx Tx, owner cleared) error {
		now := f.clock.Now()
		d := account.Departure{AccountID: owner.ID, LeftAt: now, EraseAt: now.Add(account.Grace)}
		if err := tx.InsertDeparture(ctx, d); err != nil {
			return err
		}
		if _, err := tx.UpdateState(ctx, owner.ID, account.Leaving); err != nil {
			return err
		}
		if err := f.endAll(ctx, tx, owner.ID, "", session.Deleted); err != nil {
			return err
		}
		if err := f.record.Add(ctx, tx, fact(c, audit.AccountLeft, owner.ID, "")); err != nil {
			return err
		}
		return f.post(ctx, tx, c, email{template: mailLeft, owner: &owner.Account, eraseAt: d.EraseAt})
	})
}

// askKeep begins the step that asks whether a closed account is kept, in place of a
// session.
func (f *core) askKeep(ctx context.Context, tx Tx, c Caller, e entry) (Result, error) {
	value, fresh := browser(c)
	p, d := e.waiting()
	p.Kind, p.Step = Return, Keep
	p, err := f.begin(ctx, tx, p, d, value)
	return Result{Next: pages.Flow(pages.Keep, p.ID), FlowID: p.ID, BrowserCookie: fresh}, err
}

// KeepAccount takes a closed account back, and ends the sign-in that waits for it.
// The owner gets an email.
//
// Faults: Unknown, Overtaken, Moved.
func (f *Flows) KeepAccount(ctx context.Context, c Caller, flowID string) (r Result, err error) {
	ctx, w := f.watch(ctx, "keep", Return)
	defer w.end(&r, &err)
	p, _, err := f.look(ctx, c, flowID)
	switch {
	case err != nil:
		return Result{}, err
	case p.Kind != Return:
		return Result{}, Unknown
	case p.Step == Done:
		return f.againFactor(ctx, c, p)
	}
	err = f.store.Write(ctx, func(tx Tx) error {
		p, d, err := f.at(ctx, tx, c, p.ID, Keep)
		if err != nil {
			return err
		}
		owner, err := f.waits(ctx, tx, p, d)
		if err != nil {
			return err
		}
		if err := f.advance(ctx, tx, p, Done); err != nil {
			return err
		}
		if err := f.takeBack(ctx, tx, c, &owner); err != nil {
			return err
		}
		r, err = f.goOn(ctx, tx, c, owner, p, d)
		return err
	})
	if err != nil {
		return Result{}, err
	}
	return f.settled(r, p.AccountID), nil
}

// takeBack opens a closed account again.
func (f *Flows) takeBack(ctx context.Context, tx Tx, c Caller, owner *judged) error {
	if _, err := tx.DeleteDeparture(ctx, owner.ID); err != nil {
		return err
	}
	if _, err := tx.UpdateState(ctx, owner.ID, account.Active); err != nil {
		return err
	}
	owner.State = account.Active
	owner.raised()
	return f.note(ctx, tx, c, owner.Account, audit.AccountKept, "", mailKept)
}

// DropKeep ends the step that asks whether a closed account is kept. The account
// stays closed. It succeeds when there is no such step.
func (f *Flows) DropKeep(ctx context.Context, c Caller, flowID string) (Result, error) {
	return f.startAgain(ctx, c, flowID, Keep)
}
