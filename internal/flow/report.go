package flow

import (
	"context"

	"portico/internal/account"
	"portico/internal/audit"
)

// report records a change and tells the owner of it in the words of the security
// history.
func (f *core) report(ctx context.Context, tx Tx, c Caller, a account.Account, change audit.Fact) error {
	if err := f.record.Add(ctx, tx, change); err != nil {
		return err
	}
	return f.post(ctx, tx, c, inWords(a, change))
}

// inWords returns the email about a change that has no template of its own.
func inWords(a account.Account, change audit.Fact) email {
	mail := email{template: mailChanged, owner: &a, event: change.Name}
	if change.Actor != actorSelf {
		mail.template = mailManaged
	}
	return mail
}
