package flow

import (
	"context"
	"slices"
	"time"

	"portico/internal/clock"
	"portico/internal/factor"
	"portico/internal/passkey"
	"portico/internal/session"
)

// proofLife is how long a proof lets the owner change how an account is signed in
// to, and an admin change anything.
const proofLife = 10 * time.Minute

// Fresh returns ProofNeeded unless the session's newest proof is recent enough for
// a change of the password, an address, a factor or a provider. A change checks it
// by itself; call Fresh to ask for the proof before the user types anything, or
// before an expensive hash.
func (f *Owner) Fresh(ctx context.Context, found session.Found) error {
	return f.store.Read(ctx, func(tx Tx) error { return f.fresh(ctx, tx, found, f.clock.Now()) })
}

// fresh reads what the user of a session has, and judges the proof of the session.
//
// Faults: ProofNeeded.
func (f *core) fresh(ctx context.Context, tx Tx, found session.Found, when time.Time) error {
	have, err := f.secondFactors(ctx, tx, found.User.ID)
	if err != nil {
		return err
	}
	return have.fresh(found.Session, when, f.clock.Now())
}

// fresh is the only function that decides whether a proof was recent at a time, and is strong
// enough: a second factor or a passkey, for an account that has one. A provider that
// does not tell the time of its proof gives none. A proof from the future gives none either: after the clock was set
// back, it would be recent for longer.
func (s SecondFactors) fresh(proven session.Session, when, now time.Time) error {
	at, reason := proven.AuthenticatedAt, "session"
	if s.Any() {
		at, reason = time.Time{}, "factor"
		if slices.ContainsFunc(proven.Methods, ofAccount) {
			at = proven.StrongAt
		}
	}
	if when.Sub(at) >= proofLife || clock.Ahead(at, now) {
		return ProofNeeded.WithParams(map[string]string{"reason": reason})
	}
	return nil
}

// ofAccount reports whether a method is a second factor of the account itself. A
// factor at a provider does not let anyone change the account's own.
func ofAccount(method string) bool {
	return method == string(factor.TOTP) || method == factor.RecoveryWord || method == passkey.Method
}

// renewed starts the session of this browser again after a change of the account's
// credentials has ended all of them. It keeps the proofs, the beginning and the end of the old one.
func (f *core) renewed(ctx context.Context, tx Tx, c Caller, owner judged, old session.Session) (Result, error) {
	token, s, err := f.sessions.Start(ctx, tx, session.Session{
		AccountID: owner.ID, Version: owner.Version, UserAgent: c.Agent, Peer: c.Peer,
		Methods: old.Methods, AuthenticatedAt: old.AuthenticatedAt, StrongAt: old.StrongAt,
		CreatedAt: old.CreatedAt, ExpiresAt: old.ExpiresAt,
	})
	if err != nil {
		return Result{}, err
	}
	device, err := f.device(ctx, tx, owner.Account)
	return Result{Session: &Token{Value: token, ExpiresAt: s.ExpiresAt}, Device: device}, err
}
