package flow

import (
	"cmp"
	"context"
	"time"

	"portico/internal/factor"
	"portico/internal/passkey"
)

// OfSession stands for the session in PasskeyInput.AddsTo.
const OfSession = "session"

// SecondFactors is what an account can give in addition to a first proof.
type SecondFactors struct {
	App     bool // an authenticator app
	Passkey bool // a passkey that works at this site
	Newer   bool // the passkey was used after the app
	Codes   int  // recovery codes, in place of either
	Moved   bool // some of these codes are from another system

	Shortest, Longest int // digits of the codes of the apps
}

// Any reports whether the account has anything. Recovery codes alone do not count.
func (s SecondFactors) Any() bool { return s.App || s.Passkey }

// SecondFactors returns what an account can give in addition to a first proof.
func (f *Flows) SecondFactors(ctx context.Context, accountID string) (SecondFactors, error) {
	return read(ctx, f.store, func(tx Tx) (SecondFactors, error) { return f.secondFactors(ctx, tx, accountID) })
}

func (f *core) secondFactors(ctx context.Context, tx Tx, accountID string) (s SecondFactors, err error) {
	apps, err := tx.FactorsOf(ctx, accountID)
	if err != nil {
		return s, err
	}
	var used time.Time // the app
	if s.App = len(apps) > 0; s.App {
		used = apps[0].UsedAt
	}
	s.Shortest, s.Longest = lengths(apps)
	passkeys, err := tx.PasskeysOf(ctx, accountID)
	for _, p := range passkeys {
		if f.passkeyWorks(p) {
			s.Passkey, s.Newer = true, s.Newer || p.UsedAt.After(used)
		}
	}
	if err != nil || !s.Any() {
		return s, err
	}
	left, err := tx.RecoveryCodesOf(ctx, accountID)
	s.Codes, s.Moved = len(left), factor.AnyMoved(left)
	return s, err
}

// lengths returns how many digits the codes of apps have, at least and at most. Without an app they are those of
// a new one.
func lengths(apps []factor.Factor) (shortest, longest int) {
	for _, app := range apps {
		longest = max(longest, app.Form.Digits)
		if shortest == 0 || app.Form.Digits < shortest {
			shortest = app.Form.Digits
		}
	}
	return cmp.Or(shortest, factor.Digits), cmp.Or(longest, factor.Digits)
}

// dropIdleCodes deletes the recovery codes of an account that has nothing anymore that
// they could replace.
func (f *core) dropIdleCodes(ctx context.Context, tx Tx, a cleared) error {
	have, err := f.secondFactors(ctx, tx, a.ID)
	if err != nil || have.Any() {
		return err
	}
	return tx.DeleteRecoveryCodes(ctx, a.ID)
}

// secondByPasskey continues a sign-in that waits for a second factor, or strengthens
// the session of the caller. The passkey is checked. One of another account does not
// help: a press never changes who is signed in.
func (f *Flows) secondByPasskey(ctx context.Context, tx Tx, c Caller, in PasskeyInput, a judged) (Result, error) {
	if in.AddsTo == OfSession {
		return f.stepUpByPasskey(ctx, tx, c, in, a)
	}
	p, d, err := f.at(ctx, tx, c, in.AddsTo, Factor)
	if err != nil {
		return Result{}, err
	}
	if p.AccountID != a.ID {
		return Result{}, passkey.Other
	}
	owner, err := f.waits(ctx, tx, p, d)
	if err != nil {
		return Result{}, err
	}
	if err := f.advance(ctx, tx, p, Done); err != nil {
		return Result{}, err
	}
	return f.admitted(ctx, tx, c, f.strengthened(owner, p, d, passkey.Method))
}

func (f *Flows) stepUpByPasskey(ctx context.Context, tx Tx, c Caller, in PasskeyInput, a judged) (Result, error) {
	found, err := f.sessions.Peek(ctx, tx, c.Session)
	switch {
	case err != nil:
		return Result{}, err
	case found.User.ID != a.ID:
		return Result{}, passkey.Other
	}
	owner, err := f.owned(ctx, tx, found) // it may have ended since this node cached it
	if err != nil {
		return Result{}, err
	}
	return f.proveAgain(ctx, tx, c, owner, found, passkey.Method, in.ReturnTo)
}
