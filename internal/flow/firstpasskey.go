package flow

import (
	"context"

	"portico/internal/audit"
	"portico/internal/pages"
	"portico/internal/passkey"
	"portico/internal/session"
)

// byPasskey reports whether a new account gets a passkey in place of a password.
func (f *Flows) byPasskey(d data) bool { return d.Passkey && f.passkeys != nil }

// pageOfReset returns the page of a flow that waits for a new password, or for the
// first passkey in its place.
func (f *Flows) pageOfReset(p Pending, d data) string {
	if f.byPasskey(d) {
		return pages.Flow(pages.SignUpPasskey, p.ID)
	}
	return pages.Flow(pages.ResetPassword, p.ID)
}

// BeginFirstPasskey returns a challenge for the first passkey of an account: a new one
// whose mailbox is proven, or one whose owner has a link of the operator.
//
// Faults: Unknown, Overtaken, Moved, passkey.Off.
func (f *Flows) BeginFirstPasskey(ctx context.Context, c Caller, flowID string) (o CreationOptions, err error) {
	if f.passkeys == nil {
		return o, passkey.Off
	}
	err = f.store.Read(ctx, func(tx Tx) error {
		p, _, owner, err := f.newcomer(ctx, tx, c, flowID)
		if err != nil {
			return err
		}
		o, err = f.creationOptions(ctx, tx, owner.Account, passkey.First, c.BrowserCookie, p.ID)
		return err
	})
	return o, err
}

// mayReplace reports whether the operator's link leads to a passkey in place of the
// password. An account with a second factor gives that one first, and none gets a
// passkey while an alarm closes it.
func (f *Flows) mayReplace(ctx context.Context, tx Tx, owner judged) (bool, error) {
	if f.passkeys == nil || f.alarmed(owner.Account) {
		return false, nil
	}
	second, err := f.secondFactors(ctx, tx, owner.ID)
	return !second.Any(), err
}

// newcomer returns a flow in which an account gets its first passkey. The proof of
// the mailbox is enough only while the account has nothing else.
func (f *Flows) newcomer(ctx context.Context, tx Tx, c Caller, flowID string) (Pending, data, cleared, error) {
	p, d, err := f.at(ctx, tx, c, flowID, Reset)
	switch {
	case err != nil:
		return p, d, cleared{}, err
	case !d.Passkey || !d.New && !d.Handed:
		return p, d, cleared{}, Unknown
	}
	owner, err := f.replaces(ctx, tx, p)
	if err != nil {
		return p, d, owner, err
	}
	if d.Handed {
		ok, err := f.mayReplace(ctx, tx, owner.judged)
		if err == nil && !ok {
			err = Overtaken
		}
		return p, d, owner, err
	}
	second, err := f.secondFactors(ctx, tx, owner.ID)
	if err != nil {
		return p, d, owner, err
	}
	ways, err := f.waysOtherThanPassword(ctx, tx, owner.ID)
	if err == nil && (owner.Password != "" || ways > 0 || second.Any()) {
		err = Overtaken
	}
	return p, d, owner, err
}

// AddFirstPasskey adds the first passkey of an account, and signs in with it. The
// account has no password then. With a link of the operator, the former password and all
// sessions end.
//
// Faults: Unknown, Overtaken, Moved, passkey.Refused, passkey.Expired, passkey.Exists,
// passkey.Off.
func (f *Flows) AddFirstPasskey(ctx context.Context, c Caller, flowID string, in passkey.Answer) (r Result, err error) {
	ctx, w := f.watch(ctx, "first-passkey", Recovery)
	defer w.end(&r, &err)
	if f.passkeys == nil {
		return Result{}, passkey.Off
	}
	made, err := passkey.ParseCreation(in)
	if err != nil {
		return Result{}, err
	}
	if err := f.spend(ctx, c, made.Challenge(), passkey.First, flowID); err != nil {
		return Result{}, err
	}
	id := ""
	err = f.store.Write(ctx, func(tx Tx) error {
		p, d, owner, err := f.newcomer(ctx, tx, c, flowID)
		if err != nil {
			return err
		}
		id = owner.ID
		have, err := tx.PasskeysOf(ctx, id)
		if err != nil {
			return err
		}
		first, err := f.passkeys.Accept(made, passkey.First, id, f.passkeys.Handle(id, have))
		if err != nil {
			return err
		}
		if err := f.advance(ctx, tx, p, Done); err != nil {
			return err
		}
		if err := f.insertPasskey(ctx, tx, c, &owner, first); err != nil {
			return err
		}
		if d.Handed {
			if err := f.leavePassword(ctx, tx, c, &owner); err != nil {
				return err
			}
		}
		now := f.clock.Now()
		r, err = f.admitted(ctx, tx, c, entry{
			account: owner.judged, returnTo: f.target(p), methods: []string{passkey.Method}, at: now, strongAt: now,
		})
		return err
	})
	return f.settled(r, id, err)
}

// leavePassword ends the password of an account whose owner has made a passkey in its
// place, with everything that began before. It notifies the owner.
func (f *Flows) leavePassword(ctx context.Context, tx Tx, c Caller, owner *cleared) error {
	if err := f.learnLocale(ctx, tx, c, &owner.Account); err != nil {
		return err
	}
	if err := tx.UpdatePassword(ctx, owner.ID, ""); err != nil { // raises the credential version
		return err
	}
	owner.raised()
	if err := f.endAll(ctx, tx, owner.ID, "", session.Password); err != nil || owner.Password == "" {
		return err
	}
	return f.note(ctx, tx, c, owner.Account, audit.PasswordRemoved, "recovery", mailNoPassword)
}
