package flow

import (
	"cmp"
	"context"
	"errors"
	"time"

	"portico/internal/account"
	"portico/internal/audit"
	"portico/internal/code"
	"portico/internal/fault"
	"portico/internal/ids"
	"portico/internal/invitation"
	"portico/internal/outbox"
	"portico/internal/pages"
	"portico/internal/secret"
)

// The link of an invitation proves the mailbox that it was mailed to, as the link of a sign-up
// does. Opening it changes nothing but the time that admins see. A link for many proves no
// mailbox. An invitation also counts for everyone who proves its address in another way.

// stillCounts reports whether an invitation is valid now, which is also up to its sender.
func (f *core) stillCounts(ctx context.Context, tx Tx, i invitation.Invitation) (bool, error) {
	if i.Over(f.clock.Now()) {
		return false, nil
	}
	return f.senderStands(ctx, tx, i)
}

// senderStands reports whether who has sent an invitation is still an admin, or a key that works. The link for the first
// admin stands for an empty installation.
func (f *core) senderStands(ctx context.Context, tx Tx, i invitation.Invitation) (bool, error) {
	sent := audit.Fact{Actor: i.By}
	keyID, byKey := sent.Key()
	id, byAdmin := sent.Admin()
	switch {
	case i.First():
		return f.empty(ctx, tx)
	case byKey:
		return f.keyWorks(ctx, tx, keyID)
	case byAdmin:
		return f.answers(ctx, tx, id)
	}
	return true, nil
}

// uninvited returns the fault of an invitation that is valid no more.
func (f *core) uninvited() *fault.Error {
	if f.settings.SignUp == ModeOpen || f.settings.SignUp == ModeApproved {
		return InvitationOver
	}
	return SignUpUninvited
}

// invitationFor returns the valid invitation of a sign-up with an address: the one with the id
// that its page was opened with, else the one of the address. It is nil if there is none.
func (f *core) invitationFor(ctx context.Context, tx Tx, id, key string) (*invitation.Invitation, error) {
	i, err := f.invitationRow(ctx, tx, id, key)
	if err != nil || i == nil {
		return nil, err
	}
	if ok, err := f.senderStands(ctx, tx, *i); err != nil || !ok {
		return nil, err
	}
	return i, nil
}

// invitationRow is invitationFor without the judgment of the sender. It costs the same with and
// without an invitation, and locks no row of an admin.
func (f *core) invitationRow(ctx context.Context, tx Tx, id, key string) (*invitation.Invitation, error) {
	i, ok, err := tx.InvitationOf(ctx, key)
	if id != "" {
		i, ok, err = tx.InvitationByID(ctx, id)
	}
	if err != nil || !ok || i.Key != "" && i.Key != key && !i.First() || i.Over(f.clock.Now()) {
		return nil, err
	}
	return &i, nil
}

// invitationAt returns the valid invitation with an id, for whichever address.
//
// Faults: as uninvited.
func (f *core) invitationAt(ctx context.Context, tx Tx, id string) (invitation.Invitation, error) {
	i, ok, err := tx.InvitationByID(ctx, id)
	if err == nil && ok {
		ok, err = f.stillCounts(ctx, tx, i)
	}
	if err != nil || !ok {
		return i, cmp.Or[error](err, f.uninvited())
	}
	return i, nil
}

// create makes the account of a sign-up, with what its invitation gives. Without one it may wait.
//
// Faults: SignUpTaken, as uninvited.
func (f *core) create(ctx context.Context, tx Tx, n account.New, invited *invitation.Invitation) (account.Account, error) {
	if n.Waits = f.settings.SignUp == ModeApproved && invited == nil; invited != nil {
		n.Roles, n.EndsAt = invited.Roles, invited.AccountEnds
	}
	a, err := f.accounts.Create(ctx, tx, n)
	if errors.Is(err, account.Exists) {
		err = SignUpTaken
	}
	if err != nil {
		return a, err
	}
	return a, f.useInvitation(ctx, tx, invited, a.ID)
}

// useInvitation gives a new account its invitation, in the transaction that makes the account.
func (f *core) useInvitation(ctx context.Context, tx Tx, i *invitation.Invitation, accountID string) error {
	if i == nil {
		return nil
	}
	if ok, err := tx.UseInvitation(ctx, i.ID, accountID, f.clock.Now()); err != nil || !ok {
		return cmp.Or[error](err, f.uninvited())
	}
	return f.record.Add(ctx, tx, audit.Fact{Name: audit.InvitationUsed, AccountID: accountID, Actor: i.By, Detail: wordsOf(*i)})
}

// opened returns the invitation of a link, whatever its state.
func (f *core) opened(ctx context.Context, tx Tx, token string) (invitation.Invitation, bool, error) {
	if !secret.ValidToken(token) {
		return invitation.Invitation{}, false, nil
	}
	return tx.InvitationByLink(ctx, secret.Hash(token))
}

// openedID returns the id of the invitation of a link. Where it ends, the sign-up judges it.
//
// Faults: as uninvited.
func (f *Flows) openedID(ctx context.Context, token string) (i invitation.Invitation, err error) {
	if token == "" {
		return i, nil
	}
	err = f.store.Read(ctx, func(tx Tx) error {
		found, ok, err := f.opened(ctx, tx, token)
		if i = found; err != nil || !ok {
			return cmp.Or[error](err, f.uninvited())
		}
		return nil
	})
	return i, err
}

// admitProven makes the account of a sign-up whose address is proven, by the link of an invitation
// or by a provider.
func (f *Flows) admitProven(ctx context.Context, tx Tx, c Caller, p Pending, d data, proven time.Time) (Result, error) {
	p.Kind, p.Step = SignUp, Verify
	p, err := f.begin(ctx, tx, p, d, c.BrowserCookie)
	if err != nil {
		return Result{}, err
	}
	if err := f.advance(ctx, tx, p, Done); err != nil {
		return Result{}, err
	}
	return f.admitNew(ctx, tx, c, p, d, proven)
}

// signUpInvited is SignUp by the link of an invitation of one address, or by the one for the first
// admin: the operator vouches for what is typed there.
func (f *Flows) signUpInvited(ctx context.Context, c Caller, address account.Address, returnTo Target, d data) (r Result, err error) {
	value, fresh := browser(c)
	c.BrowserCookie = value
	err = f.making(ctx, c, func(tx Tx, c Caller) error {
		r, err = f.admitProven(ctx, tx, c, Pending{AddressKey: address.Key, ReturnTo: returnTo.String()}, d, f.clock.Now())
		return err
	})
	if r, err = f.settled(r, "", err); err == nil && r.BrowserCookie == "" {
		r.BrowserCookie = fresh
	}
	return r, err
}

// viewInvitation fills in the state of the link of an invitation. It reports false if the token
// is of none.
func (f *Flows) viewInvitation(ctx context.Context, tx Tx, token string, v *LinkView) (bool, error) {
	i, found, err := f.opened(ctx, tx, token)
	if err != nil || !found {
		return false, err
	}
	valid, err := f.stillCounts(ctx, tx, i)
	if err != nil {
		return true, err
	}
	v.Kind, v.Invited, v.First, v.Fault, v.Address = SignUp, true, i.First(), nil, account.Mask(i.Mail)
	now := f.clock.Now()
	switch {
	case i.First() && !valid:
		v.Fault = SignUpFirst
	case i.State == invitation.Used && (i.Mail != "" || f.settings.SignUp == ModeInvited):
		v.Fault = code.LinkUsed
	case i.State == invitation.Replaced:
		v.Fault, v.Age = code.LinkReplaced, now.Sub(i.EndsAt)
	case valid && (f.settings.SignUp != ModeClosed || i.First()):
		v.Email, v.fresh = i.Mail, i.ID
	case i.State == invitation.Open && i.Mail != "" && !now.Before(i.EndsAt):
		v.Fault = code.LinkExpired
	default:
		v.Fault = f.uninvited()
	}
	return true, nil
}

// inviteAgain mails the newest invitation of the address of a link again. Only this mailbox gets it.
//
// Faults: as uninvited; SignUpClosed, throttle.Limited, code.Held.
func (f *Flows) inviteAgain(ctx context.Context, c Caller, old invitation.Invitation) (Result, error) {
	if err := f.allows(Pending{Kind: SignUp}, data{}); err != nil {
		return Result{}, err
	}
	if err := f.count(ctx, fromNetwork(mailPeer, c)...); err != nil {
		return Result{}, err
	}
	var held *fault.Error
	err := f.store.Write(ctx, func(tx Tx) error {
		i, ok, err := tx.InvitationOf(ctx, old.Key)
		if err != nil || !ok || i.First() {
			return cmp.Or[error](err, f.uninvited())
		}
		to, err := f.addressed(ctx, tx, i.Key)
		if err != nil {
			return err
		}
		if held, err = f.countMail(ctx, tx, c, i.Key, to.owner); err != nil || held != nil {
			return err
		}
		renewed := i
		renewed.EndsAt = f.clock.Now().Add(invitation.Life)
		if ok, err := f.stillCounts(ctx, tx, renewed); err != nil || !ok {
			return cmp.Or[error](err, f.uninvited())
		}
		return f.replaceInvitation(ctx, tx, c, i)
	})
	if err == nil && held != nil {
		err = held
	}
	return Result{Next: pages.ConfirmLink}, err
}

// replaceInvitation ends an invitation and mails the same one with another link.
func (f *core) replaceInvitation(ctx context.Context, tx Tx, c Caller, i invitation.Invitation) error {
	if ok, err := tx.EndInvitation(ctx, i.ID, invitation.Replaced, f.clock.Now()); err != nil || !ok {
		return cmp.Or[error](err, f.uninvited())
	}
	if err := f.dropInvitation(ctx, tx, i); err != nil {
		return err
	}
	_, _, err := f.invite(ctx, tx, c, i)
	return err
}

// dropInvitation takes the email of an invitation out of the outbox, if it is still there. Its link no longer works.
func (f *core) dropInvitation(ctx context.Context, tx Tx, i invitation.Invitation) error {
	_, err := f.outbox.Drop(ctx, tx, i.MessageID)
	if err != nil && fault.From(err).Code == outbox.CodeUnknown {
		return nil
	}
	return err
}

// invite stores an invitation with a new link and mails it to its address, if it has one. It
// reports false if the address has an open one.
func (f *core) invite(ctx context.Context, tx Tx, c Caller, i invitation.Invitation) (link string, ok bool, err error) {
	now := f.clock.Now()
	token := secret.Token()
	i.ID, i.Link, i.State, i.CreatedAt, i.OpenedAt, i.UsedAt = ids.NewAt(now), secret.Hash(token), invitation.Open, now, time.Time{}, time.Time{}
	if i.Mail != "" {
		i.EndsAt, i.MessageID = now.Add(invitation.Life), ids.New()
	}
	if ok, err = tx.InsertInvitation(ctx, i); err != nil || !ok || i.Mail == "" {
		return f.linkTo(token), ok, err
	}
	return "", true, f.post(ctx, tx, c, email{
		template: mailInvitation, to: i.Mail, id: i.MessageID, words: i.Words, link: token, until: i.EndsAt,
		awaited: c.Peer != "", // a visitor asks for it, and no admin
	})
}
