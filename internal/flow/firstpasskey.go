package flow

import (
	"context"

	"portico/internal/account"
	"portico/internal/audit"
	"portico/internal/ids"
	"portico/internal/pages"
	"portico/internal/passkey"
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

// BeginFirstPasskey returns a challenge for the passkey of a new account, whose
// mailbox is proven.
//
// Faults: Unknown, Moved, passkey.Off.
func (f *Flows) BeginFirstPasskey(ctx context.Context, c Caller, flowID string) (o PasskeyOffer, err error) {
	if f.passkeys == nil {
		return o, passkey.Off
	}
	err = f.store.Read(ctx, func(tx Tx) error {
		p, owner, err := f.newcomer(ctx, tx, c, flowID)
		if err != nil {
			return err
		}
		o = PasskeyOffer{
			PasskeyAsk: PasskeyAsk{Challenge: f.passkeys.Challenge(passkey.First, c.BrowserCookie, p.ID), Host: f.passkeys.Host()},
			Handle:     f.passkeys.Handle(owner.ID, nil), Address: owner.Address.Mail, Name: owner.Name,
		}
		return nil
	})
	return o, err
}

// newcomer returns a flow in which a new account gets its first way in. The proof of
// the mailbox is enough for a passkey only while the account has nothing else.
func (f *Flows) newcomer(ctx context.Context, tx Tx, c Caller, flowID string) (Pending, account.Account, error) {
	p, d, err := f.at(ctx, tx, c, flowID, Reset)
	switch {
	case err != nil:
		return p, account.Account{}, err
	case !d.New || !d.Passkey:
		return p, account.Account{}, Unknown
	}
	owner, err := f.owner(ctx, tx, p)
	if err != nil {
		return p, owner, err
	}
	second, err := f.second(ctx, tx, owner.ID)
	if err != nil {
		return p, owner, err
	}
	ways, err := f.waysBesidePassword(ctx, tx, owner.ID)
	if err == nil && (owner.Password != "" || ways > 0 || second.Any()) {
		err = Unknown
	}
	return p, owner, err
}

// AddFirstPasskey adds the first passkey of a new account, and signs in with it. The
// account has no password then.
//
// Faults: Unknown, Moved, passkey.Refused, passkey.Expired, passkey.Exists,
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
		p, owner, err := f.newcomer(ctx, tx, c, flowID)
		if err != nil {
			return err
		}
		id = owner.ID
		first, err := f.passkeys.Accept(made, passkey.First, id, f.passkeys.Handle(id, nil))
		if err != nil {
			return err
		}
		if err := f.advance(ctx, tx, p, Done); err != nil {
			return err
		}
		first.ID = ids.New()
		ok, err := tx.InsertPasskey(ctx, first)
		switch {
		case err != nil:
			return err
		case !ok:
			return passkey.Exists
		}
		if err := f.note(ctx, tx, c, owner, audit.PasskeyAdded, first.Model, mailPasskeyAdded); err != nil {
			return err
		}
		now := f.clock.Now()
		r, err = f.admitted(ctx, tx, c, entry{
			account: owner, returnTo: f.target(p), methods: []string{passkey.Method}, at: now, strongAt: now,
		})
		return err
	})
	if err != nil {
		return Result{}, err
	}
	return f.settled(r, id), nil
}
