package flow

import (
	"context"

	"portico/internal/audit"
	"portico/internal/ids"
	"portico/internal/session"
)

// UserSessions lists the sessions of an account, newest first. Its owner sees them, too.
func (f *reader) UserSessions(ctx context.Context, accountID string) ([]session.Session, error) {
	return read(ctx, f.store, func(tx Tx) ([]session.Session, error) { return f.sessions.List(ctx, tx, accountID) })
}

// EndUserSessions ends all sessions of an account, in every app, and its pending flows. It returns how many
// sessions there were, and notifies the owner if there were any. Without one it counts all the same: somebody may want to
// keep the owner from signing in.
//
// Faults: throttle.Limited, account.Missing.
func (f *Operator) EndUserSessions(ctx context.Context, by Actor, accountID string) (ended int, err error) {
	err = f.change(ctx, by, accountID, func(tx Tx, a cleared) error {
		if err := tx.EndFlows(ctx, accountID); err != nil { // a sign-in may wait; no way to sign in has changed
			return err
		}
		if ended, err = f.endListed(ctx, tx, accountID, "", session.Operator); err != nil {
			return err
		}
		change := by.fact(audit.SessionEnded, accountID, "all")
		if ended > 0 {
			return f.report(ctx, tx, by.caller, a.Account, change)
		}
		if err := f.countManaged(ctx, tx, by.caller, a.Address.Key); err != nil {
			return err
		}
		return f.record.Add(ctx, tx, change)
	})
	return ended, err
}

// EndUserSession ends one session of any account and notifies the owner, or returns
// session.Missing.
func (f *Operator) EndUserSession(ctx context.Context, by Actor, id string) error {
	if !ids.Valid(id) {
		return session.Missing
	}
	var accountID string
	err := f.acts(ctx, by, func(tx Tx) error {
		owner, ok, err := tx.AccountOfSession(ctx, id)
		if err != nil {
			return err
		}
		if !ok {
			return session.Missing
		}
		accountID = owner.ID
		if ok, err := f.endOne(ctx, tx, accountID, id, session.Operator); err != nil {
			return err
		} else if !ok {
			return session.Missing
		}
		return f.report(ctx, tx, by.caller, owner, by.fact(audit.SessionEnded, accountID, ""))
	})
	f.sessions.Forget(accountID)
	return err
}

// EndUserTrust ends the trust of an account in all browsers and notifies the owner. It
// returns how many there were.
func (f *Operator) EndUserTrust(ctx context.Context, by Actor, id string) (ended int, err error) {
	err = f.change(ctx, by, id, func(tx Tx, a cleared) error {
		ended, err = f.endTrust(ctx, tx, by.caller, a.Account, "", by.fact(audit.TrustEnded, id, ""))
		return err
	})
	return ended, err
}
