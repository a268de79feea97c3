package flow

import (
	"context"
	"errors"

	"portico/internal/account"
	"portico/internal/audit"
	"portico/internal/fault"
	"portico/internal/pages"
	"portico/internal/session"
	"portico/internal/throttle"
)

// ChangeAddress mails a code to the address that the signed-in user wants to have.
// Until the code is entered in this browser, nothing changes. The response is the
// same for the address of another account, whose mailbox learns of it.
//
// Faults: the field email, ProofNeeded, Alarmed, session.Required, throttle.Limited.
func (f *Flows) ChangeAddress(ctx context.Context, c Caller, found session.Found, email string) (r Result, err error) {
	ctx, w := f.watch(ctx, "change-address", AddressChange)
	defer w.end(&r, &err)
	address, bad := account.ParseAddress(email, "email")
	if bad == nil && address.Mail == found.User.Address {
		bad = &fault.Field{Name: "email", Code: CodeAddressSame}
	}
	if bad != nil {
		return Result{}, fault.InvalidFields(*bad)
	}
	if err := f.Fresh(ctx, found); err != nil {
		return Result{}, err // before anything is counted
	}
	if _, err := f.count(ctx, fromNetwork(mailPeer, c)...); err != nil {
		return Result{}, err
	}
	value, fresh := browser(c)
	c.BrowserCookie = value
	err = f.guarded(ctx, found, func(tx Tx, owner account.Account) error {
		known, err := f.other(ctx, tx, owner.ID, address.Key)
		if err != nil {
			return err
		}
		p := Pending{Kind: AddressChange, AccountID: owner.ID, Version: owner.Version, ReturnTo: pages.Addresses}
		r, err = f.awaitProof(ctx, tx, c, p, address, known, data{Address: address.Mail})
		return err
	})
	r.BrowserCookie = fresh
	return r, err
}

// other returns the account of an address, or nil if there is none or it is the
// one with the id.
func (f *Flows) other(ctx context.Context, tx account.Store, id, key string) (*account.Account, error) {
	known, err := f.known(ctx, tx, key)
	if known != nil && known.ID == id {
		known = nil
	}
	return known, err
}

// signedInTo returns the session of the caller, if it is one of the account of the
// flow: no other user changes the address of the account, whatever their mailbox.
//
// Faults: session.Required, Unknown.
func (f *Flows) signedInTo(ctx context.Context, tx Tx, c Caller, p Pending) (account.Account, session.Session, error) {
	owner, err := f.owner(ctx, tx, p)
	if err != nil {
		return account.Account{}, session.Session{}, err
	}
	found, err := f.sessions.Peek(ctx, tx, c.Session)
	switch {
	case err != nil:
		return account.Account{}, session.Session{}, err
	case found.User.ID != owner.ID:
		return account.Account{}, session.Session{}, session.Required
	}
	return owner, found.Session, nil
}

// takeAddress gives the account the address that was just proven. The former one
// is kept for the account, so that its owner can have it back.
func (f *Flows) takeAddress(ctx context.Context, tx Tx, c Caller, p Pending, d data) (Result, error) {
	owner, here, err := f.signedInTo(ctx, tx, c, p)
	if err != nil {
		return Result{}, err
	}
	if f.alarmed(owner) {
		return Result{}, f.stopped(owner)
	}
	address, bad := account.ParseAddress(d.Address, "email")
	if bad != nil {
		return Result{}, fault.InvalidFields(*bad)
	}
	if err := f.advance(ctx, tx, p, Done); err != nil {
		return Result{}, err
	}
	err = f.moveAddress(ctx, tx, c, owner, address, move{mailReplaced, session.Elsewhere, fact(c, audit.AddressChanged, owner.ID, "")})
	if errors.Is(err, account.Exists) {
		return Result{}, AddressTaken
	}
	if err != nil {
		return Result{}, err
	}
	if address.Key != owner.Address.Key { // else only its spelling
		now := f.clock.Now()
		former := account.Former{AccountID: owner.ID, Address: owner.Address, At: now, Until: now.Add(alarmLife)}
		if err := tx.KeepAddress(ctx, former); err != nil {
			return Result{}, err
		}
	}
	owner.Address = address
	owner.Version++
	r, err := f.renewed(ctx, tx, c, owner, here)
	r.Next = f.targets.Or(f.target(p))
	return r, err
}

// move is what differs between the ways to another address.
type move struct {
	told   string // template of the email to the former address
	why    session.Reason
	change audit.Fact
}

// moveAddress gives an account another address and does everything that belongs to
// it: it ends every session, records the change and notifies both addresses. If
// another account has the address, it returns account.Exists.
func (f *Flows) moveAddress(ctx context.Context, tx Tx, c Caller, a account.Account, to account.Address, m move) error {
	ok, err := tx.UpdateAddress(ctx, a.ID, to, f.clock.Now())
	switch {
	case err != nil:
		return err
	case !ok:
		return account.Exists
	}
	if err := f.endAll(ctx, tx, a.ID, "", m.why); err != nil {
		return err
	}
	// Wrong passwords for the new address were not for this account.
	if err := f.limiter.Clear(ctx, tx, throttle.Attempt{Limit: passwordLadder, Subject: to.Key}); err != nil {
		return err
	}
	if err := f.record.Add(ctx, tx, m.change); err != nil {
		return err
	}
	if err := f.post(ctx, tx, c, letter{template: m.told, owner: &a}); err != nil {
		return err
	}
	a.Address = to
	return f.post(ctx, tx, c, letter{template: mailNewAddress, owner: &a})
}
