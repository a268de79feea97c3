package flow

import (
	"context"
	"errors"
	"net/url"

	"portico/internal/account"
	"portico/internal/code"
	"portico/internal/fault"
	"portico/internal/ids"
	"portico/internal/pages"
	"portico/internal/password"
	"portico/internal/secret"
	"portico/internal/throttle"
)

// LinkInput is the input of ConfirmLink.
type LinkInput struct {
	Token    string
	Password string // password of a sign-up that began in another browser
	Anew     bool   // instead of the password: discard the credentials of that sign-up
}

// ConfirmLink carries out a mailed link after a press of its button. It works in
// any browser, and a recovery continues in this one.
//
// A stranger may have begun a sign-up in another browser, so its credentials
// count only together with their password. Otherwise they are discarded, and the
// owner of the mailbox chooses a password. That happens with Anew, and with an
// external identity, which has no password.
//
// Faults: the faults of code.FindLink; the field password; LinkPassword,
// LinkLocked.
func (f *Flows) ConfirmLink(ctx context.Context, c Caller, in LinkInput) (r Result, err error) {
	ctx, w := f.watch(ctx, "confirm-link", flowUnknown)
	defer w.end(&r, &err)
	var p Pending
	var d, now data
	err = f.store.Read(ctx, func(tx Tx) error {
		s, err := f.codes.FindLink(ctx, tx, in.Token)
		if err == nil {
			p, d, err = f.linked(ctx, tx, s)
		}
		return err
	})
	if err != nil {
		return Result{}, err
	}
	w.kind = p.Kind
	elsewhere := p.Kind == SignUp && !f.here(c, p)
	if elsewhere && !in.Anew && d.Password != "" {
		if err := f.provePassword(ctx, p, d, in.Password); err != nil {
			return Result{wrong: wrongLink(err)}, err
		}
	}
	value, fresh := browser(c)
	c.BrowserCookie = value
	err = f.making(ctx, c, func(tx Tx, c Caller) error {
		s, err := f.codes.RedeemLink(ctx, tx, in.Token)
		if err == nil {
			p, now, err = f.linked(ctx, tx, s) // again: its form may have been sent once more
		}
		switch {
		case err != nil:
			return err
		case f.away(c, p, now):
			return LinkElsewhere
		case elsewhere && (in.Anew || d.Password == ""):
			now = now.addressOnly()
		case elsewhere && now.Password != d.Password:
			return LinkPassword
		case p.Kind == Recovery && !f.here(c, p):
			r.FlowID, r.Next, err = f.moveRecovery(ctx, tx, c, p, now)
			return err
		}
		r, err = f.proven(ctx, tx, c, p, now)
		return err
	})
	if err != nil {
		return Result{}, err
	}
	r.BrowserCookie = fresh
	return f.settled(r, p.AccountID, nil)
}

// linked returns the flow of a valid link, in any browser.
func (f *Flows) linked(ctx context.Context, tx Tx, s code.Secret) (Pending, data, error) {
	p, d, err := f.flowOfLink(ctx, tx, s)
	if err == nil && p.Step != Verify {
		err = code.LinkUsed
	}
	return p, d, err
}

// linkEnded returns code.LinkExpired for the link of a flow that a change of the account
// has ended, else nil. The flow of another address is judged in its browser.
func (f *Flows) linkEnded(ctx context.Context, tx Tx, p Pending) (*fault.Error, error) {
	if p.AccountID == "" || p.Kind == AddressChange {
		return nil, nil
	}
	_, err := f.stands(ctx, tx, p)
	if errors.Is(err, Unknown) {
		return code.LinkExpired, nil
	}
	return nil, err
}

func (f *Flows) flowOfLink(ctx context.Context, tx Tx, s code.Secret) (Pending, data, error) {
	p, ok, err := tx.FlowByID(ctx, s.FlowID)
	if err != nil {
		return Pending{}, data{}, err
	}
	if !ok || p.over(f.clock.Now()) {
		return p, data{}, code.LinkExpired
	}
	d, err := f.open(p)
	return p, d, err
}

// here reports whether the flow began in the caller's browser.
func (f *Flows) here(c Caller, p Pending) bool {
	return secret.ValidToken(c.BrowserCookie) && secret.Equal(p.BrowserHash, secret.Hash(c.BrowserCookie))
}

// away reports whether the link of a flow works only in the browser where the flow began, which is not the caller's.
func (f *Flows) away(c Caller, p Pending, d data) bool {
	return (p.Kind == AddressChange || p.completes(d)) && !f.here(c, p)
}

// provePassword checks the password that was chosen at sign-up.
func (f *Flows) provePassword(ctx context.Context, p Pending, d data, typed string) error {
	if typed == "" {
		return fault.InvalidFields(fault.Field{Name: "password", Code: password.CodeRequired})
	}
	err := f.count(ctx, throttle.Attempt{Limit: linkPassword, Subject: p.ID})
	if errors.Is(err, throttle.Limited(0)) {
		return LinkLocked // the link expires before the limit does
	}
	if err != nil {
		return err
	}
	ok, _, err := f.passwords.Verify(ctx, d.Password, typed)
	if err == nil && !ok {
		return LinkPassword
	}
	return err
}

// wrongLink returns the kind of the wrong secret if err is LinkPassword, else "".
func wrongLink(err error) string {
	if errors.Is(err, LinkPassword) {
		return wrongLinkPassword
	}
	return ""
}

// moveRecovery ends a flow of another browser and begins one at the next step in
// the browser that opened the link. It returns the new one and its page.
func (f *Flows) moveRecovery(ctx context.Context, tx Tx, c Caller, p Pending, d data) (id, page string, err error) {
	owner, err := f.replaces(ctx, tx, p)
	if err == nil {
		err = f.claim(ctx, tx, c, p, &owner)
	}
	if err != nil {
		return "", "", err
	}
	if d.Handed {
		if d.Passkey, err = f.mayReplace(ctx, tx, owner.judged); err != nil {
			return "", "", err
		}
	}
	next := ids.New()
	before := d
	before.Moved = next
	if _, err := f.renew(ctx, tx, p, before); err != nil {
		return "", "", err
	}
	if err := f.advance(ctx, tx, p, Done); err != nil {
		return "", "", err
	}
	d.Welcome = false // what follows has to come soon
	moved, err := f.begin(ctx, tx, Pending{
		ID: next, Kind: Recovery, Step: Reset, AccountID: p.AccountID, Version: p.Version,
		AddressKey: p.AddressKey, ReturnTo: p.ReturnTo,
	}, d, c.BrowserCookie)
	return moved.ID, f.pageOfReset(moved, d), err
}

// ResendLink begins the flow of an expired or replaced link again, in the
// caller's browser. It discards the credentials of a sign-up that began in
// another browser: a stranger may have chosen them, and this browser would not
// ask for them again.
//
// The link of an invitation mails another one of it.
//
// Faults: code.LinkMalformed, code.LinkUsed, LinkElsewhere, Overtaken, throttle.Limited; as inviteAgain.
func (f *Flows) ResendLink(ctx context.Context, c Caller, token string) (r Result, err error) {
	ctx, w := f.watch(ctx, "resend-link", flowUnknown)
	defer w.end(&r, &err)
	old, err := f.openedID(ctx, token)
	if err := ignore(err, f.uninvited()); err != nil {
		return Result{}, err
	}
	if old.ID != "" {
		w.kind = SignUp
		return f.inviteAgain(ctx, c, old)
	}
	var p Pending
	var d data
	err = f.store.Read(ctx, func(tx Tx) error {
		s, err := f.codes.FindLink(ctx, tx, token)
		if err != nil && !errors.Is(err, code.LinkExpired) && !errors.Is(err, code.LinkReplaced) {
			return err
		}
		p, d, err = f.flowOfLink(ctx, tx, s)
		return err
	})
	if err != nil {
		return Result{}, err
	}
	if w.kind = p.Kind; p.Kind == SignUp && !f.here(c, p) {
		d = d.addressOnly()
	}
	if err := f.allows(p, d); err != nil {
		return Result{}, err
	}
	if err := f.count(ctx, fromNetwork(mailPeer, c)...); err != nil {
		return Result{}, err
	}
	address, bad := account.ParseAddress(d.Address, "email")
	if bad != nil {
		return Result{}, fault.InvalidFields(*bad)
	}
	if f.away(c, p, d) {
		return Result{}, LinkElsewhere
	}
	d.Handed, d.Welcome, d.Found = false, false, d.Found || !f.here(c, p) // the next link is in an email
	return f.restart(ctx, c, p, address, d)
}

// linkTo returns the URL of a link from its token.
func (f *core) linkTo(token string) string {
	return f.settings.PublicURL + pages.ConfirmLink + "?token=" + url.QueryEscape(token)
}
