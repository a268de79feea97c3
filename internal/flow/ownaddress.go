package flow

import (
	"context"
	"errors"
	"time"

	"portico/internal/account"
	"portico/internal/audit"
	"portico/internal/fault"
	"portico/internal/pages"
	"portico/internal/session"
	"portico/internal/throttle"
)

// ChangeAddress mails a code to an address that the signed-in user wants to have:
// for the sign-in, or with recovery for a recovery and for notices. Until the code
// is entered in this browser, nothing changes. The response is the same for the
// address of another account, whose mailbox learns of it.
//
// Faults: the field email, ProofNeeded, Alarmed, AddressesFull, session.Required,
// throttle.Limited.
func (f *Owner) ChangeAddress(ctx context.Context, c Caller, found session.Found, email string, recovery bool) (r Result, err error) {
	ctx, w := f.watch(ctx, "change-address", AddressChange)
	defer w.end(&r, &err)
	address, bad := account.ParseAddress(email, "email")
	if bad == nil && (address.Mail == found.User.Address || recovery && isAddress(address, found.User.Address)) {
		bad = &fault.Field{Name: "email", Code: CodeAddressSame}
	}
	if bad != nil {
		return Result{}, fault.InvalidFields(*bad)
	}
	if err := f.Fresh(ctx, found); err != nil {
		return Result{}, err // before anything is counted
	}
	if err := f.count(ctx, fromNetwork(mailPeer, c)...); err != nil {
		return Result{}, err
	}
	value, fresh := browser(c)
	c.BrowserCookie = value
	err = f.guarded(ctx, found, func(tx Tx, owner cleared) error {
		if recovery {
			if err := f.mayAdd(ctx, tx, owner.ID, address); err != nil {
				return err
			}
		}
		to, err := f.addressed(ctx, tx, address.Key)
		if err != nil {
			return err
		}
		p := Pending{Kind: AddressChange, AccountID: owner.ID, Version: owner.FlowVersion(), ReturnTo: pages.Addresses}
		r, err = f.awaitProof(ctx, tx, c, p, address, to.besides(owner.ID), data{Address: address.Mail, Recovery: recovery})
		return err
	})
	r.BrowserCookie = fresh
	return r, err
}

// isAddress reports whether a stored address is another spelling of an address.
func isAddress(a account.Address, stored string) bool {
	b, bad := account.ParseAddress(stored, "")
	return bad == nil && a.Key == b.Key
}

// takeAddress gives the account the address that was just proven. The former one
// is kept for the account, so that its owner can have it back. An address for a
// recovery is one more.
func (f *Flows) takeAddress(ctx context.Context, tx Tx, c Caller, p Pending, d data) (Result, error) {
	owner, found, err := f.signedInTo(ctx, tx, c, p)
	if err != nil {
		return Result{}, err
	}
	here := found.Session
	address, bad := account.ParseAddress(d.Address, "email")
	if bad != nil {
		return Result{}, fault.InvalidFields(*bad)
	}
	if err := f.advance(ctx, tx, p, Done); err != nil {
		return Result{}, err
	}
	if !d.Recovery && !f.admitsDomain(address.Key) {
		return Result{}, SignUpDomain
	}
	var r Result
	if d.Recovery {
		r, err = f.addRecovery(ctx, tx, c, owner, here, address)
	} else {
		now := f.clock.Now()
		r, err = f.replaceAddress(ctx, tx, c, owner, here, address, account.Other{Use: account.Former, Until: now.Add(alarmLife)})
	}
	if errors.Is(err, account.Exists) {
		return Result{}, AddressTaken
	}
	r.Next = f.settings.Targets.Or(f.target(p))
	return r, err
}

// replaceAddress makes an address the primary one, and keeps the former one with
// the use of former.
func (f *core) replaceAddress(ctx context.Context, tx Tx, c Caller, owner cleared, here session.Session, to account.Address, former account.Other) (Result, error) {
	now := f.clock.Now()
	others, err := tx.AddressesOf(ctx, owner.ID, now)
	if err != nil {
		return Result{}, err
	}
	if err := tx.DropAddress(ctx, owner.ID, to.Key); err != nil {
		return Result{}, err
	}
	since := sinceOf(owner.Account, others, to.Key, now)
	former.AddedAt = primarySince(owner.Account, others, now)
	err = f.moveAddress(ctx, tx, c, owner, to, move{
		mailReplaced, mailNewAddress, session.Changed, fact(c, audit.AddressChanged, owner.ID, ""), since, !mayRepair(former, since),
	})
	if err != nil {
		return Result{}, err
	}
	if to.Key != owner.Address.Key { // else only its spelling
		former.AccountID, former.Address, former.PrimaryUntil = owner.ID, owner.Address, now
		if err := tx.KeepAddress(ctx, former); err != nil {
			return Result{}, err
		}
	}
	owner.Address = to
	owner.raised()
	return f.renewed(ctx, tx, c, owner.judged, here)
}

// move is what differs between the ways to another address.
type move struct {
	toOld  string // template of the email to the former address
	new    string // the id of the email to the new address
	why    session.Reason
	change audit.Fact
	since  time.Time // since when the account has the new address
	lost   bool      // the former address raises no alarm anymore
}

// moveAddress gives an account another address and does everything that belongs to
// it: it ends every session, records the change and notifies both addresses. If
// another account has the address, it returns account.Exists.
func (f *core) moveAddress(ctx context.Context, tx Tx, c Caller, a cleared, to account.Address, m move) error {
	ok, err := tx.UpdateAddress(ctx, a.ID, to, m.since, f.clock.Now())
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
	if err := f.post(ctx, tx, c, email{template: m.toOld, owner: &a.Account, lost: m.lost}); err != nil {
		return err
	}
	a.Address, a.AddressAt = to, m.since
	return f.post(ctx, tx, c, email{template: m.new, owner: &a.Account})
}
