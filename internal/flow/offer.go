package flow

import (
	"context"

	"portico/internal/account"
	"portico/internal/pages"
	"portico/internal/session"
)

// nextOf returns the page after a sign-in: the return target, or before it the offer
// of a passkey. The offer is for owners who have just given a password, and not in
// the middle of something else: an owner who has signed in again wants to go on.
func (f *core) nextOf(ctx context.Context, tx Tx, e entry, before session.Session, returnTo Target) (string, error) {
	next := f.settings.Targets.Or(returnTo)
	again := e.live || before.AccountID == e.account.ID
	if !e.makesPasskeys || e.methods[0] != "password" || e.trusted || again || e.joinFlow != "" {
		return next, nil
	}
	offered, err := f.offered(ctx, tx, e.account.Account)
	if err != nil || !offered {
		return next, err
	}
	return pages.ReturnTo(pages.PasskeyOffer, returnTo.String()), nil
}

// offered reports whether an account may be offered its first passkey.
func (f *core) offered(ctx context.Context, tx Tx, a account.Account) (bool, error) {
	if f.passkeys == nil || f.alarmed(a) {
		return false, nil
	}
	second, err := f.secondFactors(ctx, tx, a.ID)
	if err != nil || second.Passkey {
		return false, err
	}
	refused, err := tx.PasskeysRefused(ctx, a.ID)
	return !refused, err
}

// PasskeyOffered reports whether the signed-in user may be offered a passkey.
func (f *Owner) PasskeyOffered(ctx context.Context, found session.Found) (offered bool, err error) {
	err = f.store.Read(ctx, func(tx Tx) error {
		a, ok, err := tx.AccountByID(ctx, found.User.ID)
		if err != nil || !ok {
			return err
		}
		offered, err = f.offered(ctx, tx, a)
		return err
	})
	return offered, err
}

// RefusePasskeys stores that the signed-in user wants no offer of a passkey anymore,
// in any browser. It needs no recent proof, because it changes no way in.
//
// Faults: session.Required.
func (f *Owner) RefusePasskeys(ctx context.Context, found session.Found) error {
	return f.own(ctx, found, func(tx Tx, a judged) error {
		return tx.RefusePasskeys(ctx, a.ID, f.clock.Now())
	})
}
