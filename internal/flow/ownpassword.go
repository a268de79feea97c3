package flow

import (
	"context"
	"slices"

	"portico/internal/account"
	"portico/internal/audit"
	"portico/internal/session"
)

// ChangePassword sets the password of the signed-in user, who may not have had one.
// It ends every session, starts the one of this browser again, and notifies the
// owner. After an alarm it replaces a password, because the owner has chosen that
// one since. It does not add one to an account that has none then: only a
// recovery does.
//
// Faults: the fields, ProofNeeded, Alarmed, session.Required, throttle.Limited, hashing.busy.
func (f *Owner) ChangePassword(ctx context.Context, c Caller, found session.Found, chosen, confirm string) (Result, error) {
	if err := f.Fresh(ctx, found); err != nil {
		return Result{}, err // before the hash
	}
	former, err := f.verifierOf(ctx, found.User.ID)
	if err != nil {
		return Result{}, err
	}
	hash, err := f.newHash(ctx, choice{of: found.User.ID, former: former, chosen: chosen, confirm: confirm, address: found.User.Address})
	if err != nil {
		return Result{}, err
	}
	var r Result
	err = f.guarding(ctx, found, func(owner judged) bool { return owner.Password != "" }, func(tx Tx, owner cleared) error {
		if err := f.replacePassword(ctx, tx, c, owner, hash, fact(c, audit.PasswordChanged, owner.ID, "account")); err != nil {
			return err
		}
		owner.raised()
		r, err = f.renewed(ctx, tx, c, owner.judged, found.Session)
		return err
	})
	return r, err
}

// RemovePassword removes the password of the signed-in user, if a provider or a
// passkey remains to sign in with. It ends every session, starts the one of this browser again, and
// notifies the owner.
//
// Faults: LastWay, ProofNeeded, session.Required.
func (f *Owner) RemovePassword(ctx context.Context, c Caller, found session.Found) (Result, error) {
	var r Result
	err := f.guarded(ctx, found, func(tx Tx, owner cleared) error {
		others, err := f.waysOtherThanPassword(ctx, tx, owner.ID)
		if err != nil {
			return err
		}
		if others == 0 {
			return LastWay
		}
		if err := tx.UpdatePassword(ctx, owner.ID, ""); err != nil {
			return err
		}
		if err := f.endAll(ctx, tx, owner.ID, "", session.Password); err != nil {
			return err
		}
		if err := f.record.Add(ctx, tx, fact(c, audit.PasswordRemoved, owner.ID, "")); err != nil {
			return err
		}
		if err := f.post(ctx, tx, c, email{template: mailNoPassword, owner: &owner.Account}); err != nil {
			return err
		}
		owner.raised()
		r, err = f.renewed(ctx, tx, c, owner.judged, found.Session)
		return err
	})
	return r, err
}

// Ways are the ways in that the owner of an account has.
type Ways struct {
	Password bool
	Others   int // ways in other than the password
}

// Ways returns the ways in to an account.
func (f *Owner) Ways(ctx context.Context, accountID string) (w Ways, err error) {
	err = f.store.Read(ctx, func(tx Tx) error {
		a, ok, err := tx.AccountByID(ctx, accountID)
		if err != nil || !ok {
			return err
		}
		w.Password = a.Password != ""
		w.Others, err = f.waysOtherThanPassword(ctx, tx, accountID)
		return err
	})
	return w, err
}

// waysOtherThanPassword counts the ways in that remain without a password. A passkey of
// another host does not count.
func (f *core) waysOtherThanPassword(ctx context.Context, tx Tx, accountID string) (int, error) {
	linked, err := f.workingIdentities(ctx, tx, accountID)
	if err != nil {
		return 0, err
	}
	passkeys, err := tx.PasskeysOf(ctx, accountID)
	return len(linked) + f.working(passkeys), err
}

// workingIdentities returns the identities that the account can sign in with: those at
// a provider that the operator has not removed, and whose id has not become that of another one.
func (f *core) workingIdentities(ctx context.Context, tx Tx, accountID string) ([]account.Identity, error) {
	linked, err := tx.IdentitiesOf(ctx, accountID)
	return slices.DeleteFunc(linked, func(i account.Identity) bool {
		return !f.providers.Issues(i.Provider, i.Issuer)
	}), err
}

func (f *Owner) verifierOf(ctx context.Context, accountID string) (verifier string, err error) {
	err = f.store.Read(ctx, func(tx Tx) error {
		a, _, err := tx.AccountByID(ctx, accountID)
		verifier = a.Password
		return err
	})
	return verifier, err
}
