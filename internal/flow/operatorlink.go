package flow

import (
	"context"
	"time"

	"portico/internal/account"
	"portico/internal/audit"
	"portico/internal/secret"
)

// AccountLink returns a link with which the owner of an account makes a passkey or
// chooses a password, and the end of its validity. It works like the link of an
// emailed recovery: once, in any browser, until the credentials are changed. It
// begins no session by itself. After the password, the owner gives the second factor of
// the account, or adds one if the settings require it. The operator hands the link
// over, and the owner gets an email that it was made.
//
// Faults: account.Disabled.
func (f *Operator) AccountLink(ctx context.Context, by Actor, a account.Account) (link string, until time.Time, err error) {
	err = f.change(ctx, by, a.ID, func(tx Tx, a cleared) error {
		if !a.Open() {
			return account.Disabled
		}
		// No browser has the cookie of this flow: its code is never sent.
		p, err := f.begin(ctx, tx, Pending{
			Kind: Recovery, Step: Verify, AccountID: a.ID, Version: Recovery.versionOf(a.Account), AddressKey: a.Address.Key,
		}, data{Address: a.Address.Mail, New: a.Password == "", Handed: true}, secret.Token())
		if err != nil {
			return err
		}
		issued, err := f.codes.IssueHanded(ctx, tx, p.ID)
		if err != nil {
			return err
		}
		link, until = f.linkTo(issued.Link), issued.ExpiresAt
		if err := f.record.Add(ctx, tx, by.fact(audit.LinkMade, a.ID, "")); err != nil {
			return err
		}
		return f.post(ctx, tx, by.caller, email{template: mailLinkMade, owner: &a.Account})
	})
	return link, until, err
}
