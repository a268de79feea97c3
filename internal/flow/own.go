package flow

import (
	"context"
	"slices"
	"time"

	"portico/internal/account"
	"portico/internal/factor"
	"portico/internal/passkey"
	"portico/internal/session"
)

// proofLife is how long a proof lets the owner change how an account is signed in
// to.
const proofLife = 10 * time.Minute

// Fresh returns ProofNeeded unless the session's newest proof is recent enough for
// a change of the password, an address, a factor or a provider. A change checks it
// by itself; call Fresh to ask for the proof before the user types anything, or
// before an expensive hash.
func (f *Flows) Fresh(ctx context.Context, found session.Found) error {
	return f.store.Read(ctx, func(tx Tx) error { return f.fresh(ctx, tx, found) })
}

// fresh is the only function that decides whether a proof is recent and strong
// enough: a second factor or a passkey, for an account that has one. A provider that
// does not tell the time of its proof gives none.
func (f *Flows) fresh(ctx context.Context, tx Tx, found session.Found) error {
	have, err := f.second(ctx, tx, found.User.ID)
	if err != nil {
		return err
	}
	at, reason := found.Session.AuthenticatedAt, "session"
	if have.Any() {
		at, reason = time.Time{}, "factor"
		if slices.ContainsFunc(found.Session.Methods, ofAccount) {
			at = found.Session.StrongAt
		}
	}
	if f.clock.Now().Sub(at) >= proofLife {
		return ProofNeeded.WithParams(map[string]string{"reason": reason})
	}
	return nil
}

// ofAccount reports whether a method is a second factor of the account itself. A
// factor at a provider does not let anyone change the account's own.
func ofAccount(method string) bool {
	return method == string(factor.TOTP) || method == factor.RecoveryWord || method == passkey.Method
}

// guarded is own for a change of the password, an address, a factor, a passkey or a
// provider. Every such change of a signed-in user goes through it, except a new
// password. A change with steps, such as an address, goes through it where it begins:
// its later steps need the flow, and no older session outlives an alarm.
//
// Faults: ProofNeeded, Alarmed, session.Required. They are faults of each caller, too.
func (f *Flows) guarded(ctx context.Context, found session.Found, fn func(tx Tx, owner account.Account) error) error {
	return f.own(ctx, found, func(tx Tx, owner account.Account) error {
		if err := f.fresh(ctx, tx, found); err != nil {
			return err
		}
		if f.alarmed(owner) {
			return f.stopped(owner)
		}
		return fn(tx, owner)
	})
}

// own runs a change that the owner of an account makes, in one transaction. The
// session may have ended since the request began, so it is read again: a session
// that was ended changes nothing.
func (f *Flows) own(ctx context.Context, found session.Found, fn func(tx Tx, owner account.Account) error) error {
	err := f.store.Write(ctx, func(tx Tx) error {
		owner, err := f.owned(ctx, tx, found)
		if err != nil {
			return err
		}
		return fn(tx, owner)
	})
	f.sessions.Forget(found.User.ID)
	return err
}

// owned is own in the transaction of its caller.
func (f *Flows) owned(ctx context.Context, tx Tx, found session.Found) (account.Account, error) {
	owner, ok, err := tx.AccountByID(ctx, found.User.ID)
	if err != nil {
		return account.Account{}, err
	}
	if !ok || owner.State != account.Active || owner.Version != found.Session.Version {
		return account.Account{}, session.Required
	}
	of, ok, err := tx.SessionAccount(ctx, found.Session.ID)
	if err == nil && (!ok || of != owner.ID) {
		err = session.Required
	}
	return owner, err
}

// renewed starts the session of this browser again after a change of the account's
// credentials has ended all of them. It keeps the proofs of the old one.
func (f *Flows) renewed(ctx context.Context, tx Tx, c Caller, owner account.Account, old session.Session) (Result, error) {
	token, s, err := f.sessions.Start(ctx, tx, session.Session{
		AccountID: owner.ID, Version: owner.Version, UserAgent: c.Agent, Peer: f.keptPeer(c),
		Methods: old.Methods, AuthenticatedAt: old.AuthenticatedAt, StrongAt: old.StrongAt,
	})
	if err != nil {
		return Result{}, err
	}
	return Result{Session: &Token{Value: token, ExpiresAt: s.ExpiresAt}, Device: f.device(owner)}, nil
}
