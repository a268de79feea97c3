package flow

import (
	"context"

	"portico/internal/account"
	"portico/internal/audit"
	"portico/internal/fault"
	"portico/internal/passkey"
	"portico/internal/session"
)

// Passkeys returns all passkeys of an account, whatever their host.
func (f *reader) Passkeys(ctx context.Context, accountID string) ([]passkey.Passkey, error) {
	return read(ctx, f.store, func(tx Tx) ([]passkey.Passkey, error) { return tx.PasskeysOf(ctx, accountID) })
}

// PasskeysView is the state of an account's passkeys for their page.
type PasskeysView struct {
	List   []passkey.Passkey
	Last   bool   // as in FactorsView
	Alone  bool   // nothing helps an owner who loses them: no app, no recovery code
	Host   string // as PasskeyUser
	Handle []byte
}

// OwnPasskeys returns the passkeys of the signed-in user.
func (f *Owner) OwnPasskeys(ctx context.Context, found session.Found) (v PasskeysView, err error) {
	err = f.store.Read(ctx, func(tx Tx) error {
		if v.List, err = tx.PasskeysOf(ctx, found.User.ID); err != nil {
			return err
		}
		apps, err := tx.FactorsOf(ctx, found.User.ID)
		if err != nil {
			return err
		}
		v.Last = f.last(found, apps, v.List)
		have, err := f.secondFactors(ctx, tx, found.User.ID)
		v.Alone = have.Passkey && !have.App && have.Codes == 0
		return err
	})
	if f.passkeys != nil {
		v.Host, v.Handle = f.passkeys.Host(), f.passkeys.Handle(found.User.ID, v.List)
	}
	return v, err
}

// PasskeyUser returns how authenticators know an account: the host, and the user
// handle. The host is "" without passkeys.
func (f *Owner) PasskeyUser(ctx context.Context, accountID string) (host string, handle []byte, err error) {
	if f.passkeys == nil {
		return "", nil, nil
	}
	have, err := f.Passkeys(ctx, accountID)
	return f.passkeys.Host(), f.passkeys.Handle(accountID, have), err
}

// Site returns the name that authenticators show.
func (f *Flows) Site() string { return f.settings.Site }

// adding is the purpose of a challenge for a new passkey: quiet if the browser asks
// by itself.
func adding(quiet bool) passkey.Purpose {
	if quiet {
		return passkey.Quiet
	}
	return passkey.Add
}

// BeginPasskey returns a challenge for a new passkey of the signed-in user. It is
// bound to the session, which ends with the credentials of the account.
//
// Faults: ProofNeeded, session.Required, passkey.Full, passkey.Off.
func (f *Owner) BeginPasskey(ctx context.Context, c Caller, found session.Found, quiet bool) (o CreationOptions, err error) {
	if f.passkeys == nil {
		return o, passkey.Off
	}
	value, fresh := browser(c)
	err = f.guarded(ctx, found, func(tx Tx, a cleared) error {
		o, err = f.creationOptions(ctx, tx, a.Account, adding(quiet), value, found.Session.ID)
		o.BrowserCookie = fresh
		return err
	})
	return o, err
}

// AddPasskey adds the passkey that an authenticator has made, and tells the owner.
// The session counts it as a strong proof, because its user was verified. It does not
// count a quiet passkey, which the browser has made without asking the user.
//
// Faults: ProofNeeded, session.Required, passkey.Refused, passkey.Expired,
// passkey.Exists, passkey.Full, passkey.Off.
func (f *Owner) AddPasskey(ctx context.Context, c Caller, found session.Found, in passkey.Answer, quiet bool) (r Result, err error) {
	if f.passkeys == nil {
		return Result{}, passkey.Off
	}
	if err := f.Fresh(ctx, found); err != nil {
		return Result{}, err // before the challenge is used up
	}
	made, err := passkey.ParseCreation(in)
	if err != nil {
		return Result{}, err
	}
	if err := f.spend(ctx, c, made.Challenge(), adding(quiet), found.Session.ID); err != nil {
		return Result{}, err
	}
	have, err := f.Passkeys(ctx, found.User.ID)
	if err != nil {
		return Result{}, err
	}
	p, err := f.passkeys.Accept(made, adding(quiet), found.User.ID, f.passkeys.Handle(found.User.ID, have))
	if err != nil {
		return Result{}, err
	}
	err = f.guarded(ctx, found, func(tx Tx, a cleared) error {
		if err := f.insertPasskey(ctx, tx, c, &a, p); err != nil || quiet {
			return err
		}
		r, err = f.strengthen(ctx, tx, c, a.judged, found, passkey.Method, Target{})
		return err
	})
	return f.settled(r, found.User.ID, err)
}

// RenamePasskey names a passkey of the signed-in user, and tells the owner. An
// unchanged name does not count as a change.
//
// Faults: the field name, ProofNeeded, session.Required, passkey.Missing.
func (f *Owner) RenamePasskey(ctx context.Context, c Caller, found session.Found, id, typed string) error {
	name, bad := account.ParseName(typed)
	switch {
	case bad != nil:
		return fault.InvalidFields(*bad)
	case name == "":
		return fault.InvalidFields(fault.Field{Name: "name", Code: passkey.CodeNameRequired})
	}
	return f.ownPasskey(ctx, found, id, func(tx Tx, a cleared, p passkey.Passkey, _ int) error {
		if p.Name == name {
			return nil
		}
		if _, err := tx.RenamePasskey(ctx, a.ID, id, name); err != nil {
			return err
		}
		return f.note(ctx, tx, c, a.Account, audit.PasskeyRenamed, p.Model, mailPasskeyRenamed)
	})
}

// RemovePasskey removes a passkey of the signed-in user, if another way in remains.
// It ends the other sessions, which the passkey may have started, and tells the
// owner. The recovery codes go with the last one, unless an app remains.
//
// Faults: LastWay, AdminLast, ProofNeeded, session.Required, passkey.Missing.
func (f *Owner) RemovePasskey(ctx context.Context, c Caller, found session.Found, id string) error {
	return f.ownPasskey(ctx, found, id, func(tx Tx, a cleared, p passkey.Passkey, ways int) error {
		if ways == 1 && f.passkeyWorks(p) {
			return LastWay
		}
		if _, err := tx.DeletePasskey(ctx, a.ID, id); err != nil {
			return err
		}
		if err := f.keepsAdmin(ctx, tx, a); err != nil {
			return err
		}
		if err := f.afterRemoval(ctx, tx, a, found.Session.ID, session.Changed); err != nil {
			return err
		}
		return f.note(ctx, tx, c, a.Account, audit.PasskeyRemoved, p.Model, mailPasskeyRemoved)
	})
}

// ownPasskey runs a guarded change of one passkey. It gives the number of ways in
// that the account has.
func (f *Owner) ownPasskey(ctx context.Context, found session.Found, id string, fn func(tx Tx, a cleared, p passkey.Passkey, ways int) error) error {
	return f.guarded(ctx, found, func(tx Tx, a cleared) error {
		have, err := tx.PasskeysOf(ctx, a.ID)
		if err != nil {
			return err
		}
		ways, err := f.waysOtherThanPassword(ctx, tx, a.ID)
		if err != nil {
			return err
		}
		if a.Password != "" {
			ways++
		}
		for _, p := range have {
			if p.ID == id {
				return fn(tx, a, p, ways)
			}
		}
		return passkey.Missing
	})
}

// PasskeyWorks reports whether a passkey signs in at this site: the operator has
// not switched passkeys off, and the host is the one that it was made for.
func (f *Owner) PasskeyWorks(p passkey.Passkey) bool { return f.passkeyWorks(p) }

func (f *core) passkeyWorks(p passkey.Passkey) bool {
	return f.passkeys != nil && p.Host == f.passkeys.Host()
}
