package flow

import (
	"context"

	"portico/internal/passkey"
)

// BeginProtection returns a challenge for a new passkey of the account whose sign-in
// waits for a second factor. It is bound to the flow.
//
// Faults: as protecting; passkey.Full, passkey.Off.
func (f *Flows) BeginProtection(ctx context.Context, c Caller, flowID string) (o CreationOptions, err error) {
	if f.passkeys == nil {
		return o, passkey.Off
	}
	err = f.store.Read(ctx, func(tx Tx) error {
		p, _, owner, err := f.protecting(ctx, tx, c, flowID)
		if err != nil {
			return err
		}
		o, err = f.creationOptions(ctx, tx, owner.Account, passkey.Add, c.BrowserCookie, p.ID)
		return err
	})
	return o, err
}

// ProtectByPasskey adds the passkey that an authenticator has made to the account of
// a sign-in that waits for it. The session follows.
//
// Faults: as protecting; passkey.Refused, passkey.Expired, passkey.Exists,
// passkey.Full, passkey.Off.
func (f *Flows) ProtectByPasskey(ctx context.Context, c Caller, flowID string, in passkey.Answer) (r Result, err error) {
	ctx, w := f.watch(ctx, "protect", Protection)
	defer w.end(&r, &err)
	if f.passkeys == nil {
		return Result{}, passkey.Off
	}
	made, err := passkey.ParseCreation(in)
	if err != nil {
		return Result{}, err
	}
	var owner cleared
	var have []passkey.Passkey
	err = f.store.Read(ctx, func(tx Tx) error { // before the challenge is used up
		if _, _, owner, err = f.protecting(ctx, tx, c, flowID); err != nil {
			return err
		}
		have, err = tx.PasskeysOf(ctx, owner.ID)
		return err
	})
	if err != nil {
		return Result{}, err
	}
	if err := f.spend(ctx, c, made.Challenge(), passkey.Add, flowID); err != nil {
		return Result{}, err
	}
	accepted, err := f.passkeys.Accept(made, passkey.Add, owner.ID, f.passkeys.Handle(owner.ID, have))
	if err != nil {
		return Result{}, err
	}
	err = f.store.Write(ctx, func(tx Tx) error {
		p, d, owner, err := f.protecting(ctx, tx, c, flowID)
		if err != nil {
			return err
		}
		if err := f.insertPasskey(ctx, tx, c, &owner, accepted); err != nil {
			return err
		}
		r, err = f.protected(ctx, tx, c, owner, p, d, passkey.Method)
		return err
	})
	return f.settled(r, owner.ID, err)
}
