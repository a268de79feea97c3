package flow

import (
	"cmp"
	"context"

	"portico/internal/account"
	"portico/internal/audit"
	"portico/internal/fault"
	"portico/internal/invitation"
	"portico/internal/outbox"
)

// MailAgain puts an email that was given up back into the queue, and records who did. With the
// id of an account, the email must be to its user. A key sends none to an admin and no invitation of one, and
// nobody sends an invitation that no longer counts.
//
// Faults: outbox.CodeUnknown, apikey.OfAdmin, and as acts and countSent.
func (f *Operator) MailAgain(ctx context.Context, by Actor, accountID, messageID string) error {
	return f.acts(ctx, by, func(tx Tx) error {
		m, found, err := tx.Message(ctx, messageID)
		if err != nil {
			return err
		}
		to, _, err := tx.AccountByID(ctx, cmp.Or(accountID, m.AccountID)) // none, if it is to nobody yet
		if err == nil {
			err = by.mayChange(to.Roles)
		}
		if err != nil {
			return err
		}
		if !found || accountID != "" && m.AccountID != accountID {
			return fault.New(fault.Missing, outbox.CodeUnknown)
		}
		again, err := f.outbox.Retry(ctx, tx, messageID)
		if err != nil {
			return err
		}
		box, _ := account.ParseAddress(again.To, "email") // none, if it is not an email
		if err := f.mayResend(ctx, tx, by, m, box.Key); err != nil {
			return err
		}
		if err := f.countSent(ctx, tx, by, box.Key); err != nil {
			return err
		}
		return f.sentAgain(ctx, tx, by, m)
	})
}

// mayResend returns a fault for an invitation that no longer counts or that the Actor may not send.
func (f *Operator) mayResend(ctx context.Context, tx Tx, by Actor, m outbox.Record, addressKey string) error {
	if m.Template != mailInvitation {
		return nil
	}
	i, counts, err := f.invites(ctx, tx, addressKey, m.ID)
	if err == nil && !counts {
		err = fault.New(fault.Missing, outbox.CodeUnknown)
	}
	return cmp.Or(err, by.mayChange(i.Roles))
}

// invites returns the invitation of an address, and whether it counts and has this email.
func (f *Operator) invites(ctx context.Context, tx Tx, addressKey, messageID string) (i invitation.Invitation, counts bool, err error) {
	if i, _, err = tx.InvitationOf(ctx, addressKey); err != nil { // without one, the zero one does not count
		return i, false, err
	}
	counts, err = f.stillCounts(ctx, tx, i)
	return i, counts && i.MessageID == messageID, err
}

// Over reports whether an email is of an invitation that no longer counts, such as one of a sender whose invitations have all
// ended. Its words may be a thief's.
func (f *Operator) Over(ctx context.Context, m outbox.Message) (over bool, err error) {
	if m.Template != mailInvitation {
		return false, nil
	}
	to, _ := account.ParseAddress(m.To, "email")
	err = f.store.Read(ctx, func(tx Tx) error {
		_, counts, err := f.invites(ctx, tx, to.Key, m.ID)
		over = !counts
		return err
	})
	return over, err
}

// MailAllAgain does what MailAgain does for all emails that were given up until now and whose content has
// not expired. It returns their number.
func (f *Operator) MailAllAgain(ctx context.Context, by Actor) (n int, err error) {
	for now := f.clock.Now(); ; {
		some := 0
		err := f.acts(ctx, by, func(tx Tx) error {
			revived, err := f.outbox.RetrySome(ctx, tx, now)
			for _, m := range revived {
				if err == nil {
					err = f.sentAgain(ctx, tx, by, m)
				}
			}
			some = len(revived)
			return err
		})
		if err != nil || some == 0 {
			return n, err
		}
		n += some
	}
}

// DropMail deletes an email that waits or was given up, records who did, and returns it.
//
// Faults: outbox.CodeUnknown, and as acts.
func (f *Operator) DropMail(ctx context.Context, by Actor, id string) (dropped outbox.Listed, err error) {
	err = f.acts(ctx, by, func(tx Tx) error {
		if dropped, err = f.outbox.Drop(ctx, tx, id); err != nil {
			return err
		}
		return f.record.Add(ctx, tx, by.fact(audit.MailDropped, dropped.AccountID, dropped.Template))
	})
	return dropped, err
}

func (f *Operator) sentAgain(ctx context.Context, tx Tx, by Actor, m outbox.Record) error {
	return f.record.Add(ctx, tx, by.fact(audit.MailSentAgain, m.AccountID, m.Template))
}
