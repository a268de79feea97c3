package flow

import (
	"context"
	"errors"

	"portico/internal/account"
	"portico/internal/audit"
	"portico/internal/passkey"
	"portico/internal/throttle"
)

// PasskeyAsk is what a browser needs to ask an authenticator for a passkey.
type PasskeyAsk struct {
	Challenge     string
	Host          string
	BrowserCookie string // a new browser cookie, "" if the caller's is valid
}

// AskPasskey returns a challenge for a sign-in with a passkey. It writes nothing.
//
// Faults: passkey.Off.
func (f *Flows) AskPasskey(c Caller) (PasskeyAsk, error) {
	if f.passkeys == nil {
		return PasskeyAsk{}, passkey.Off
	}
	value, fresh := browser(c)
	return PasskeyAsk{Challenge: f.passkeys.Challenge(passkey.SignIn, value, ""), Host: f.passkeys.Host(), BrowserCookie: fresh}, nil
}

// PasskeyInput is the input of SignInPasskey.
type PasskeyInput struct {
	Answer   passkey.Answer
	ReturnTo Target
	FlowID   string // flow with a provider's identity that waits to be joined
	// AddsTo is "" for a sign-in. Else the passkey is a second factor: the id of the
	// sign-in that waits for it, or OfSession.
	AddsTo string
}

// SignInPasskey starts the session of the account that has the passkey. It needs no
// address and no second factor, because the authenticator has verified its user.
//
// Faults: passkey.Unknown, passkey.Other, Unknown, Moved and session.Required for
// AddsTo, passkey.Refused, passkey.Unproven, passkey.Expired, passkey.Off,
// account.Disabled, throttle.Limited.
func (f *Flows) SignInPasskey(ctx context.Context, c Caller, in PasskeyInput) (r Result, err error) {
	ctx, w := f.watch(ctx, "passkey", flowSignIn)
	defer w.end(&r, &err)
	if f.passkeys == nil {
		return Result{}, passkey.Off
	}
	use, err := passkey.ParseUse(in.Answer)
	if err != nil {
		return Result{}, err
	}
	attempts := fromNetwork(signInPeer, c)
	if err := f.spend(ctx, c, use.Challenge(), passkey.SignIn, "", attempts...); err != nil {
		return Result{}, err
	}
	p, err := read(ctx, f.store, func(tx Tx) (passkey.Passkey, error) { return passkeyOf(ctx, tx, use.Credential()) })
	if errors.Is(err, passkey.Unknown) {
		return Result{wrong: wrongPasskey}, err
	}
	if err != nil {
		return Result{}, err
	}
	used, suspect, err := f.passkeys.Check(use, p)
	if err != nil {
		entry := fact(c, audit.SignInFailed, p.AccountID, passkey.Method)
		entry.Actor = actorStranger
		return Result{wrong: wrongPasskey}, f.refusePasskey(ctx, entry, err)
	}
	if suspect && !used.Copies {
		return Result{wrong: wrongPasskey}, f.refuseCopy(ctx, c, p)
	}
	err = f.store.Write(ctx, func(tx Tx) error {
		r, err = f.enterByPasskey(ctx, tx, c, in, used, p.Counter, suspect)
		if err != nil {
			return err
		}
		return f.limiter.Return(ctx, tx, attempts...)
	})
	if errors.Is(err, account.Disabled) {
		err = f.refusePasskey(ctx, turnedAway(c, p.AccountID, passkey.Method, err), err)
	}
	return f.settled(r, p.AccountID, err)
}

// spend counts an attempt and uses up its challenge. Both are committed before the
// answer is checked, so that a refused answer has cost them.
func (f *core) spend(ctx context.Context, c Caller, challenge string, p passkey.Purpose, subject string, attempts ...throttle.Attempt) error {
	if len(attempts) > 0 {
		if err := f.count(ctx, attempts...); err != nil {
			return err
		}
	}
	return f.store.Write(ctx, func(tx Tx) error {
		return f.passkeys.Spend(ctx, tx, challenge, p, c.BrowserCookie, subject)
	})
}

func passkeyOf(ctx context.Context, tx Tx, credential []byte) (passkey.Passkey, error) {
	p, ok, err := tx.PasskeyByCredential(ctx, credential)
	if err == nil && !ok {
		err = passkey.Unknown
	}
	return p, err
}

// enterByPasskey records the use of a checked passkey and starts the session. A passkey
// is the strongest proof of an account, so no second factor is asked for.
func (f *Flows) enterByPasskey(ctx context.Context, tx Tx, c Caller, in PasskeyInput, used passkey.Passkey, before int64, suspect bool) (Result, error) {
	a, err := f.opens(ctx, tx, used.AccountID)
	switch {
	case errors.Is(err, account.Missing):
		return Result{}, passkey.Unknown
	case err != nil:
		return Result{}, err
	}
	// It may have been removed or used elsewhere since it was read.
	won, err := tx.UsePasskey(ctx, used, before)
	if err != nil {
		return Result{}, err
	}
	if !won {
		return Result{}, passkey.Refused
	}
	if err := f.learnLocale(ctx, tx, c, &a.Account); err != nil {
		return Result{}, err
	}
	if suspect {
		if err := f.suspectCopy(ctx, tx, c, a.Account); err != nil {
			return Result{}, err
		}
	}
	if in.AddsTo != "" {
		return f.secondByPasskey(ctx, tx, c, in, a)
	}
	now := f.clock.Now()
	return f.admitted(ctx, tx, c, entry{
		account: a, returnTo: in.ReturnTo, methods: []string{passkey.Method}, at: now, strongAt: now, joinFlow: in.FlowID, announce: true,
	})
}

// refusePasskey records why a passkey did not sign in.
func (f *Flows) refusePasskey(ctx context.Context, entry audit.Fact, cause error) error {
	if err := f.store.Write(ctx, func(tx Tx) error { return f.record.Add(ctx, tx, entry) }); err != nil {
		return err
	}
	return cause
}

// refuseCopy refuses a passkey whose counter went back although it cannot be
// copied, and tells the owner.
func (f *Flows) refuseCopy(ctx context.Context, c Caller, p passkey.Passkey) error {
	err := f.store.Write(ctx, func(tx Tx) error {
		a, ok, err := tx.AccountByID(ctx, p.AccountID)
		if err != nil || !ok {
			return err
		}
		return f.suspectCopy(ctx, tx, c, a)
	})
	if err != nil {
		return err
	}
	return passkey.Refused
}

// suspectCopy records that a passkey was used whose counter did not grow, and tells
// the owner.
func (f *Flows) suspectCopy(ctx context.Context, tx Tx, c Caller, a account.Account) error {
	if err := f.record.Add(ctx, tx, fact(c, audit.PasskeySuspect, a.ID, "counter")); err != nil {
		return err
	}
	d, err := f.limiter.Take(ctx, tx, throttle.Attempt{Limit: factorNotice, Subject: a.ID})
	if err != nil || !d.Allowed {
		return err
	}
	return f.post(ctx, tx, c, email{template: mailPasskeySuspect, owner: &a})
}
