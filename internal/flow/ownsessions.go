package flow

import (
	"context"
	"errors"

	"portico/internal/audit"
	"portico/internal/ids"
	"portico/internal/session"
)

// EndSession ends one of the user's own sessions, or returns session.Missing. It
// returns the same for a session of another user, so that ids reveal nothing.
func (f *Owner) EndSession(ctx context.Context, c Caller, found session.Found, id string) error {
	if !ids.Valid(id) {
		return session.Missing
	}
	why := session.Elsewhere
	if id == found.Session.ID {
		why = session.Left
	}
	return f.endSession(ctx, c, found, id, why, audit.SessionEnded)
}

// EndOtherSessions ends all sessions of the user except this one. The owner gets an
// email if there were any.
//
// Faults: session.Required.
func (f *Owner) EndOtherSessions(ctx context.Context, c Caller, found session.Found) error {
	return f.own(ctx, found, func(tx Tx, owner judged) error {
		if err := f.endWaiting(ctx, tx, found, owner); err != nil {
			return err
		}
		ended, err := f.endListed(ctx, tx, owner.ID, found.Session.ID, session.Elsewhere)
		if err != nil || ended == 0 {
			return err
		}
		return f.report(ctx, tx, c, owner.Account, fact(c, audit.SessionEnded, owner.ID, "others"))
	})
}

// endWaiting ends the sign-ins that wait in other browsers, if the session has the proof for
// a change. With a weaker one, a thief could keep the owner from signing in.
func (f *Owner) endWaiting(ctx context.Context, tx Tx, found session.Found, owner judged) error {
	a, err := f.clears(ctx, tx, found, owner)
	if errors.Is(err, ProofNeeded) || errors.Is(err, Alarmed) {
		return nil
	}
	if err != nil {
		return err
	}
	return f.endFlows(ctx, tx, &a)
}
