package flow

import (
	"context"
	"time"

	"portico/internal/account"
	"portico/internal/audit"
	"portico/internal/code"
	"portico/internal/secret"
)

// AccountLink returns a link with which the owner of an account makes a passkey or
// chooses a password, and the end of its validity. It works like the link of an
// emailed recovery: once, in any browser, until the credentials are changed. It
// begins no session by itself. After the password, the owner gives the second factor of
// the account, or adds one if the settings require it. The operator hands the link
// over, and the owner gets an email that it was made.
//
// Faults: account.Disabled, account.Ended.
func (f *Operator) AccountLink(ctx context.Context, by Actor, a account.Account) (link string, until time.Time, err error) {
	issued, err := f.linkFor(ctx, by, a.ID, nil)
	return f.linkTo(issued.Link), issued.ExpiresAt, err
}

// MailLink is AccountLink for an admin, who never sees the link: it is in an email to the
// owner of the account.
//
// Faults: account.Disabled, account.Ended, account.Missing.
func (f *Operator) MailLink(ctx context.Context, by Actor, id string) (until time.Time, err error) {
	issued, err := f.linkFor(ctx, by, id, func(tx Tx, a cleared, issued code.Issued) error {
		return f.post(ctx, tx, by.caller, email{template: mailRecover, owner: &a.Account, secret: &issued})
	})
	return issued.ExpiresAt, err
}

// linkFor makes the secret of an operator's link, and hands it to mail unless that is nil.
func (f *Operator) linkFor(ctx context.Context, by Actor, id string, mail func(tx Tx, a cleared, issued code.Issued) error) (issued code.Issued, err error) {
	err = f.change(ctx, by, id, func(tx Tx, a cleared) error {
		if err := a.Refusal(f.clock.Now()); err != nil {
			return err
		}
		// No browser has the cookie of this flow: its code is never sent.
		p, err := f.begin(ctx, tx, Pending{
			Kind: Recovery, Step: Verify, AccountID: a.ID, Version: Recovery.versionOf(a.Account), AddressKey: a.Address.Key,
		}, data{Address: a.Address.Mail, New: a.Password == "", Handed: true}, secret.Token())
		if err != nil {
			return err
		}
		if issued, err = f.codes.IssueHanded(ctx, tx, p.ID); err != nil {
			return err
		}
		if mail != nil {
			if err := mail(tx, a, issued); err != nil {
				return err
			}
		}
		if err := f.record.Add(ctx, tx, by.fact(audit.LinkMade, a.ID, "")); err != nil {
			return err
		}
		return f.post(ctx, tx, by.caller, email{template: mailLinkMade, owner: &a.Account})
	})
	return issued, err
}
