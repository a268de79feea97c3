package flow

import (
	"context"

	"portico/internal/audit"
	"portico/internal/ids"
	"portico/internal/session"
)

// UserSessions lists the sessions of an account, newest first.
func (f *Flows) UserSessions(ctx context.Context, accountID string) (list []session.Session, err error) {
	err = f.store.Read(ctx, func(tx Tx) error {
		list, err = f.sessions.List(ctx, tx, accountID)
		return err
	})
	return list, err
}

// EndUserSessions ends all sessions of an account, in every app, and notifies the
// owner. It returns how many UserSessions would have listed. Expired rows that are not
// yet deleted do not count.
func (f *Flows) EndUserSessions(ctx context.Context, accountID string) (ended int, err error) {
	err = f.change(ctx, accountID, func(tx Tx) error {
		held, err := f.sessions.List(ctx, tx, accountID)
		if err != nil {
			return err
		}
		ended = len(held)
		if err := f.endAll(ctx, tx, accountID, "", session.Operator); err != nil {
			return err
		}
		fact := byOperator(audit.SessionEnded, accountID)
		fact.Detail = "all"
		return f.managed(ctx, tx, fact)
	})
	return ended, err
}

// EndUserSession ends one session of any account and notifies the owner, or returns
// session.Missing.
func (f *Flows) EndUserSession(ctx context.Context, id string) error {
	if !ids.Valid(id) {
		return session.Missing
	}
	var accountID string
	err := f.store.Write(ctx, func(tx Tx) error {
		account, ok, err := tx.SessionAccount(ctx, id)
		if err != nil {
			return err
		}
		if !ok {
			return session.Missing
		}
		accountID = account
		if ok, err := f.endOne(ctx, tx, accountID, id, session.Operator); err != nil {
			return err
		} else if !ok {
			return session.Missing
		}
		return f.managed(ctx, tx, byOperator(audit.SessionEnded, accountID))
	})
	f.sessions.Forget(accountID)
	return err
}
