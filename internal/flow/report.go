package flow

import (
	"context"
	"slices"

	"portico/internal/account"
	"portico/internal/audit"
	"portico/internal/throttle"
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

// ended are the events of what an owner takes away without a new proof, and could have again.
func ended() []audit.Name {
	return []audit.Name{audit.SessionEnded, audit.TrustEnded, audit.TokenEnded, audit.ConsentRevoked}
}

// holds reports whether an email is about the end of something, or about trust, and one too many for its owner today.
func (f *core) holds(ctx context.Context, tx Tx, mail email) (bool, error) {
	if mail.template != mailTrusted && (mail.template != mailChanged || !slices.Contains(ended(), mail.event)) {
		return false, nil
	}
	d, err := f.limiter.Take(ctx, tx, throttle.Attempt{Limit: endedDay, Subject: mail.owner.ID})
	return err == nil && !d.Allowed, err
}
