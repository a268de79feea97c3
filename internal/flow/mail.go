package flow

import (
	"context"
	"strconv"
	"time"

	"portico/internal/account"
	"portico/internal/audit"
	"portico/internal/code"
	"portico/internal/outbox"
	"portico/internal/pages"
)

// Templates of the emails that flows cause. docs/operating/audit.md says which event
// causes which.
const (
	mailVerify     = "verify-address"
	mailRecover    = "recover"
	mailByCode     = "signin-code"
	mailRegistered = "already-registered"
	mailNoAccount  = "no-account"
	mailClosed     = "account-closed"
	mailProvider   = "provider-only"
	mailPassword   = "password-changed"
	mailNoPassword = "password-removed"
	mailUnproven   = "password-unproven" // removed with the proof of an imported address
	mailAddress    = "address-changed"
	mailReplaced   = "address-replaced"     // by the owner, who can have it back
	mailNewAddress = "address-added"        // to an owner who has proven it
	mailGiven      = "address-given"        // by an operator
	mailBelongs    = "address-of-account"   // to an address that does not sign in
	mailRecovery   = "recovery-address-set" // another one, or the first
	mailDropped    = "address-removed"
	mailConfirm    = "confirm-address"
	mailTaken      = "address-taken"
	mailOutside    = "address-outside" // of the domains that may sign up
	mailInvitation = "invitation"
	mailUninvited  = "invitation-needed"
	mailWaits      = "approval-awaited"
	mailApproved   = "account-approved"
	mailNotToBe    = "account-refused" // in place of an approval
	mailName       = "name-changed"
	mailLinkMade   = "link-made"
	mailLinkMailed = "link-mailed"
	mailWelcome    = "welcome" // to an imported person without a password
	mailUnlinked   = "provider-removed"
	mailPortrait   = "picture-changed"
	mailNoPortrait = "picture-removed" // by an operator

	mailDisconnected = "provider-disconnected"

	mailBlocked = "signin-blocked"
	mailDevice  = "new-device"
	mailLinked  = "provider-linked"

	mailFactorAdded   = "factor-added"
	mailFactorRemoved = "factor-removed"
	mailFactorFailed  = "factor-failed"
	mailCodesMade     = "recovery-codes-made"
	mailCodeSpent     = "recovery-code-used"

	mailTrusted = "browser-trusted"

	mailReused = "grant-reused"
	mailData   = "data-downloaded"
	mailAlarm  = "alarm-raised"
	mailRegain = "take-back" // the code after an alarm
	mailLeft   = "account-left"
	mailKept   = "account-kept"

	mailKeyEnds = "key-ends"        // to the admin who answers for an API key
	mailApplied = "approvals-asked" // to all admins

	// These two tell of an event in the words of the security history.
	mailChanged = "account-changed" // by the user
	mailManaged = "account-managed" // by an operator

	mailPasskeyAdded   = "passkey-added"
	mailPasskeyRenamed = "passkey-renamed"
	mailPasskeyRemoved = "passkey-removed"
	mailPasskeySuspect = "passkey-suspect"
)

// email is what goes to the outbox, before it has its words and its address.
type email struct {
	template string
	to       string           // address without an account; always checked
	owner    *account.Account // recipient, nil without an account
	at       account.Address  // the owner's address, if not the primary one
	added    time.Time        // since when the account has it
	lost     bool             // the address raises no alarm anymore: an older one has replaced or removed it
	about    account.Address  // the owner's address that the email names
	secret   *code.Issued
	provider string
	app      string        // name of an OpenID client
	event    audit.Name    // for mailChanged and mailManaged
	left     string        // recovery codes that are left
	lasts    time.Duration // how long the block or the code that the email is about lasts
	told     *outbox.Told  // set if the visitor learns of a refusal
	id       string        // of the message, "" for a new one
	words    string        // of the admin who invites
	link     string        // token of an invitation
	until    time.Time     // end of its validity
	eraseAt  time.Time     // when an account that its owner has closed is erased
	key      string        // name of an API key
	endsAt   time.Time     // when it ends
	waiting  int           // accounts that wait for an approval
	suppress bool          // stored like any other and never sent
	awaited  bool          // by somebody, at this moment
}

// toOther addresses an email to another address of its owner.
func (mail email) toOther(o account.Other) email {
	mail.at, mail.added, mail.lost = o.Address, o.AddedAt, false
	return mail
}

// alarming reports whether an email tells of a change or of a danger. It has a link
// to raise the alarm, if its address may.
func alarming(template string) bool {
	switch template {
	case mailChanged, mailReplaced, mailNewAddress, mailRecovery, mailDropped, mailPassword, mailNoPassword, mailDevice, mailLinked, mailDisconnected, mailTrusted, mailData, mailLeft, mailKept,
		mailFactorAdded, mailFactorRemoved, mailCodesMade, mailCodeSpent,
		mailPasskeyAdded, mailPasskeyRenamed, mailPasskeyRemoved, mailName, mailPortrait, mailUnlinked, mailLinkMade,
		mailBlocked, mailFactorFailed, mailReused, mailPasskeySuspect:
		return true
	}
	return false
}

// copied reports whether an email also goes to the address for notices. An email
// about wrong passwords does not: strangers cause it, with and without an account. The
// email to a new address goes only there, in addition to the one to the former address.
func copied(template string) bool {
	switch template {
	case mailAddress, mailNoPortrait, mailManaged, mailLinkMailed:
		return true
	case mailBlocked, mailNewAddress:
		return false
	}
	return alarming(template)
}

// post writes the email to the outbox, in the transaction of its cause, and a copy
// for the owner's address for notices.
func (f *core) post(ctx context.Context, tx Tx, c Caller, mail email) error {
	if held, err := f.holds(ctx, tx, mail); err != nil || held {
		return err
	}
	if err := f.postOne(ctx, tx, c, mail); err != nil || mail.owner == nil || mail.at.Key != "" || !copied(mail.template) {
		return err
	}
	all, err := tx.AddressesOf(ctx, mail.owner.ID, f.clock.Now())
	if err != nil {
		return err
	}
	if mail.template == mailLinkMailed { // one mailbox gets the link
		mail.template, mail.secret, mail.awaited = mailLinkMade, nil, false
	}
	for _, o := range all {
		if o.Use == account.Recovery {
			return f.postOne(ctx, tx, c, mail.toOther(o))
		}
	}
	return nil
}

// postOne writes one email. An email to an account uses the locale of the account,
// whatever the caller's locale: strangers must not choose the language of a user's emails.
//
// Faults: throttle.Limited, for the change of an admin or a key.
func (f *core) postOne(ctx context.Context, tx Tx, c Caller, mail email) error {
	now := f.clock.Now()
	m := outbox.Message{
		ID: mail.id, Template: mail.template, To: mail.to, Locale: c.Locale, Suppressed: mail.suppress, Awaited: mail.awaited, Told: mail.told,
		Data: map[string]string{
			"browser":     c.Agent,
			"at":          now.Format(time.RFC3339),
			"provider":    mail.provider,
			"signin_link": f.settings.PublicURL + pages.SignIn,
			"reset_link":  f.settings.PublicURL + pages.ForgotPassword,
		},
	}
	if mail.owner != nil {
		if mail.at.Key == "" {
			mail.at, mail.added = mail.owner.Address, mail.owner.AddressAt
		}
		m.To, m.AccountID = mail.at.Mail, mail.owner.ID
		if mail.owner.Locale != "" {
			m.Locale = mail.owner.Locale
		}
	}
	if to, bad := account.ParseAddress(m.To, "email"); bad == nil {
		m.Mailbox = f.mailboxes.Sum(to.Key)
		if err := f.countManaged(ctx, tx, c, to.Key); err != nil {
			return err
		}
	}
	if mail.owner != nil && alarming(mail.template) && f.mayRaise(mail, now) {
		m.Data["alarm_link"] = f.alarmLink(mail, now)
	}
	if mail.secret != nil {
		m.NotAfter, mail.lasts = mail.secret.ExpiresAt, mail.secret.ExpiresAt.Sub(now)
		m.Data["code"] = mail.secret.Digits
		m.Data["link"] = f.linkTo(mail.secret.Link)
	}
	if mail.link != "" {
		m.NotAfter = mail.until
		m.Data["link"], m.Data["words"], m.Data["until"] = f.linkTo(mail.link), mail.words, mail.until.Format(time.RFC3339)
	}
	for name, value := range map[string]string{"event": string(mail.event), "app": mail.app, "address": account.Mask(mail.about.Mail), "left": mail.left} {
		if value != "" {
			m.Data[name] = value
		}
	}
	if !mail.eraseAt.IsZero() {
		m.Data["erase_at"] = mail.eraseAt.Format(time.RFC3339)
	}
	if mail.key != "" {
		m.Data["key"], m.Data["ends_at"] = mail.key, mail.endsAt.Format(time.RFC3339)
	}
	if mail.waiting > 0 {
		m.Data["count"], m.Data["people_link"] = strconv.Itoa(mail.waiting), f.settings.PublicURL+pages.Admin+"/people?state="+string(account.Waiting)
	}
	if mail.lasts > 0 {
		m.Data["minutes"] = strconv.Itoa(int((mail.lasts + time.Minute - 1) / time.Minute))
	}
	return f.outbox.Enqueue(ctx, tx, m)
}

// mailProof makes a code for the flow and mails it, or mails the message that the
// address gets instead. Both execute the same statements and write the same rows:
// it also stores a code that is never sent, so that an address without an account
// costs the same.
//
// The caller must have counted the email. While the mailbox gets no more emails no
// code is made, because a page must not show a code as sent that was not.
func (f *core) mailProof(ctx context.Context, tx Tx, c Caller, p Pending, d data, to addressee) error {
	issued, err := f.codes.Issue(ctx, tx, p.ID, CodeLife)
	if err != nil {
		return err
	}
	linked, err := f.workingIdentities(ctx, tx, p.AccountID)
	if err != nil {
		return err
	}
	proves, err := f.provesBesidePassword(ctx, tx, p.AccountID, linked)
	if err != nil {
		return err
	}
	barred, err := f.barred(ctx, tx, p, d)
	if err != nil {
		return err
	}
	known := to.known(p.Kind)
	unproven, err := f.unprovenOf(ctx, tx, known)
	if err != nil {
		return err
	}
	if unproven && to.use != "" {
		known = nil // claim would refuse it
	}
	mail := email{to: d.Address, owner: to.owner, at: to.at, awaited: true}
	switch {
	case to.owner != nil && to.owner.State == account.Waiting:
		mail.template = mailWaits
	case to.owner != nil && !to.owner.Open(f.clock.Now()):
		mail.template = mailClosed
	case to.owner == nil && barred != "":
		mail.template = barred
	case p.Kind == AddressChange && to.owner == nil:
		mail.template, mail.secret = mailConfirm, &issued
	case p.Kind == AddressChange:
		mail.template = mailTaken
	case known == nil && to.owner != nil:
		mail.template, mail.about = mailBelongs, to.owner.Address
	case p.Kind == SignUp && known == nil:
		mail.template, mail.secret = mailVerify, &issued
	case p.Kind == SignUp:
		mail.template = mailRegistered
	case known == nil:
		mail.template = mailNoAccount
	case p.Kind == ByCode:
		mail.template, mail.secret = mailByCode, &issued
	case known.Password == "" && f.alarmed(*known):
		mail.template, mail.secret = mailRegain, &issued
	case known.Password == "" && len(linked) > 0 && proves && !unproven:
		mail.template, mail.provider = mailProvider, f.named(linked[0].Provider)["provider"]
	default:
		mail.template, mail.secret = mailRecover, &issued
	}
	tell, err := f.mayTell(ctx, tx, p)
	if err != nil {
		return err
	}
	if tell {
		mail.told = &outbox.Told{Mailbox: f.mailboxes.Sum(p.AddressKey), AskedAt: issued.ExpiresAt.Add(-CodeLife)}
	}
	mail.suppress = !tell && to.owner == nil
	return f.post(ctx, tx, c, mail)
}
