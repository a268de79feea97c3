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
// begins no session by itself, and ends the former link of an operator. After the password, the owner gives the second factor of
// the account, or adds one if the settings require it. The operator hands the link
// over, and the owner gets an email that it was made.
//
// Faults: account.Disabled, account.Ended.
func (f *Operator) AccountLink(ctx context.Context, by Actor, a account.Account) (link string, until time.Time, err error) {
	issued, err := f.linkFor(ctx, by, a.ID, mailLinkMade)
	return f.linkTo(issued.Link), issued.ExpiresAt, err
}

// MailLink is AccountLink for an admin, who never sees the link: it is in an email to the
// owner of the account.
//
// Faults: account.Disabled, account.Ended, account.Missing, and as countSent.
func (f *Operator) MailLink(ctx context.Context, by Actor, id string) (until time.Time, err error) {
	issued, err := f.linkFor(ctx, by, id, mailLinkMailed)
	return issued.ExpiresAt, err
}

// linkFor makes the secret of an operator's link, and writes the email.
func (f *Operator) linkFor(ctx context.Context, by Actor, id, template string) (issued code.Issued, err error) {
	err = f.change(ctx, by, id, func(tx Tx, a cleared) error {
		if err := a.Refusal(f.clock.Now()); err != nil {
			return err
		}
		if template == mailLinkMailed {
			if err := f.countSent(ctx, tx, by, a.Address.Key); err != nil {
				return err
			}
		}
		issued, err = f.handLink(ctx, tx, by, a, template)
		return err
	})
	return issued, err
}

// handLink is linkFor in the transaction of its caller. It ends the former link.
func (f *Operator) handLink(ctx context.Context, tx Tx, by Actor, a cleared, template string) (issued code.Issued, err error) {
	if err := f.endLink(ctx, tx, a); err != nil {
		return issued, err
	}
	d, life, detail := data{Address: a.Address.Mail, New: a.Password == "", Handed: true}, code.HandedLife, ""
	if template == mailWelcome {
		d.Welcome, life, detail = true, code.WelcomeLife, "welcome"
	}
	p, err := f.begin(ctx, tx, Pending{
		Kind: Recovery, Step: Verify, AccountID: a.ID, Version: Recovery.versionOf(a.Account), AddressKey: a.Address.Key,
	}, d, noBrowser)
	if err != nil {
		return issued, err
	}
	if issued, err = f.codes.Issue(ctx, tx, p.ID, life); err != nil {
		return issued, err
	}
	if err := f.record.Add(ctx, tx, by.fact(audit.LinkMade, a.ID, detail)); err != nil {
		return issued, err
	}
	mail := email{template: template, owner: &a.Account}
	if template != mailLinkMade {
		mail.secret, mail.awaited = &issued, template == mailLinkMailed
	}
	return issued, f.post(ctx, tx, by.caller, mail)
}

// noBrowser stands for the browser of the flow of an operator's link. It is not a valid cookie,
// so that only the link leads to the flow: its code is never sent.
const noBrowser = "operator"

// endLink ends the operator's link that an account has, if any.
func (f *Operator) endLink(ctx context.Context, tx Tx, a cleared) error {
	now := f.clock.Now()
	former, ok, err := tx.NewestFlow(ctx, Recovery, Verify, a.Address.Key, secret.Hash(noBrowser), now)
	if err != nil || !ok {
		return err
	}
	return tx.EndCodes(ctx, former.ID, now)
}
