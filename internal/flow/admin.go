package flow

import (
	"context"
	"errors"
	"slices"
	"time"

	"portico/internal/account"
	"portico/internal/audit"
	"portico/internal/code"
	"portico/internal/fault"
	"portico/internal/invitation"
	"portico/internal/session"
)

// RoleAdmin is the role of the admins. It opens the admin page to a user who has a second
// factor or a passkey.
const RoleAdmin = "portico:admin"

// ErrNotAdmin means that the user of a session is no admin. The caller gets the response of
// a page that does not exist.
var ErrNotAdmin = errors.New("the user has no role " + RoleAdmin)

// Admin judges whether a session may read what admins read: its user has the role, and
// has given a second factor or a passkey for the session. The proof may be hours old if the last
// Visit of the browser is recent.
//
// Faults: ErrNotAdmin, NoAdminFactor, ProofNeeded.
func (f *Operator) Admin(ctx context.Context, found session.Found, visit string) error {
	if !slices.Contains(found.User.Roles, RoleAdmin) {
		return ErrNotAdmin
	}
	if found.Session.Strong() && slices.ContainsFunc(found.Session.Methods, ofAccount) && !f.lapsed(found, visit) {
		return nil
	}
	return f.store.Read(ctx, func(tx Tx) error { return f.adminProof(ctx, tx, found) })
}

// adminProof judges the proof of an admin's session.
//
// Faults: NoAdminFactor, ProofNeeded.
func (f *Operator) adminProof(ctx context.Context, tx Tx, found session.Found) error {
	have, err := f.secondFactors(ctx, tx, found.User.ID)
	switch {
	case err != nil:
		return err
	case !have.Any():
		return NoAdminFactor
	}
	return have.fresh(found.Session, f.clock.Now(), f.clock.Now())
}

// HasAdmin reports whether somebody can open the admin page: an active account with the role
// and with a second factor or a passkey.
func (f *Operator) HasAdmin(ctx context.Context) (bool, error) {
	return read(ctx, f.store, func(tx Tx) (bool, error) {
		return f.anyAdmin(ctx, tx, account.AnyFactor, func(a account.Account) (bool, error) { return a.Open(f.clock.Now()), nil })
	})
}

// anyAdmin reports whether one of the active admins with these second factors fits.
func (f *core) anyAdmin(ctx context.Context, tx Tx, having account.Factors, fits func(account.Account) (bool, error)) (bool, error) {
	q := account.Query{Role: RoleAdmin, State: account.Active, Factors: having, Limit: 10}
	for {
		page, err := tx.People(ctx, q, f.clock.Now())
		for _, p := range page.People {
			if ok, err := fits(p.Account); err != nil || ok {
				return ok, err
			}
		}
		if err != nil || page.Next == "" {
			return false, err
		}
		q.After = page.Next
	}
}

// notLast returns AdminLast for an admin without whom nobody could open the admin page in the
// long run: the account of another admin that has an end does not count. Reading the other
// one keeps it as it is until the end of the transaction, so two cannot go at once.
func (f *core) notLast(ctx context.Context, tx Tx, a account.Account) error {
	if !slices.Contains(a.Roles, RoleAdmin) {
		return nil
	}
	another, err := f.anyAdmin(ctx, tx, account.AnyFactor, func(found account.Account) (bool, error) {
		if found.ID == a.ID {
			return false, nil
		}
		other, _, err := tx.AccountByID(ctx, found.ID)
		if err != nil || other.State != account.Active || !other.EndsAt.IsZero() || !slices.Contains(other.Roles, RoleAdmin) {
			return false, err
		}
		have, err := f.secondFactors(ctx, tx, other.ID)
		return have.Any(), err
	})
	if err == nil && !another {
		err = AdminLast
	}
	return err
}

// FirstAdmin makes an admin in an installation without accounts, and returns the link of
// AccountLink. It returns "" if there is an account. Of two nodes that start at once, one makes it.
//
// Faults: the field email.
func (f *Operator) FirstAdmin(ctx context.Context, by Actor, email string) (link string, until time.Time, err error) {
	address, bad := account.ParseAddress(email, "email")
	if bad != nil {
		return "", until, fault.InvalidFields(*bad)
	}
	err = f.acts(ctx, by, func(tx Tx) error {
		link = ""
		empty, err := f.empty(ctx, tx)
		if err != nil || !empty {
			return err
		}
		a, err := f.makeUser(ctx, tx, by, account.New{Address: address, Roles: []string{RoleAdmin}})
		if err != nil {
			return err
		}
		issued, err := f.handLink(ctx, tx, by, made(a), mailLinkMade)
		link, until = f.linkTo(issued.Link), issued.ExpiresAt
		return err
	})
	return link, until, ignore(err, account.Exists)
}

// FirstLink returns a link by which whoever opens it gets the first account, as an admin, with the address
// that is typed there. It ends the former one, and counts while there is no account. It returns "" if there is
// one, or if another node makes a link at this moment.
func (f *Operator) FirstLink(ctx context.Context) (link string, until time.Time, err error) {
	now := f.clock.Now()
	until = now.Add(code.HandedLife)
	err = f.store.Write(ctx, func(tx Tx) error {
		link = ""
		empty, err := f.empty(ctx, tx)
		if err != nil || !empty {
			return err
		}
		former, _, err := tx.InvitationOf(ctx, invitation.FirstAdmin)
		if err == nil {
			_, err = tx.EndInvitation(ctx, former.ID, invitation.Replaced, now)
		}
		if err != nil {
			return err
		}
		i := invitation.Invitation{Key: invitation.FirstAdmin, Roles: []string{RoleAdmin}, By: ByOperator.name, Most: 1, EndsAt: until}
		made, ok, err := f.invite(ctx, tx, Caller{}, i)
		if err != nil || !ok {
			return err
		}
		link = made
		return f.record.Add(ctx, tx, ByOperator.fact(audit.InvitationSent, "", "first,"+RoleAdmin))
	})
	return link, until, err
}

// empty reports whether there is no account.
func (f *core) empty(ctx context.Context, tx Tx) (bool, error) {
	page, err := tx.People(ctx, account.Query{Limit: 1}, f.clock.Now())
	return len(page.People) == 0, err
}

// acts runs a change by an Actor, in one transaction that judges the Actor first. An
// admin whose session has ended, who has lost the role or was disabled since the request
// began changes nothing. Nor does one whose proof has aged, nor a key that was ended.
//
// Faults: session.Required, ErrNotAdmin, NoAdminFactor, ProofNeeded, and as keyOf.
func (f *Operator) acts(ctx context.Context, by Actor, fn func(tx Tx) error) error {
	return f.store.Write(ctx, func(tx Tx) error {
		if err := f.mayAct(ctx, tx, by); err != nil {
			return err
		}
		if err := marked(ctx, tx, by.once); err != nil {
			return err
		}
		if err := fn(tx); err != nil {
			return err
		}
		return counted(ctx, tx, by.step)
	})
}

func (f *Operator) mayAct(ctx context.Context, tx Tx, by Actor) error {
	if by.step != nil {
		return f.goesOn(ctx, tx, by.step)
	}
	if err := f.stillAdmin(ctx, tx, by); err != nil || by.admin == nil {
		return err
	}
	return f.adminProof(ctx, tx, *by.admin)
}

// stillAdmin returns a fault unless the session of an admin is open and the role is there, or
// the key stands. It suffices for what only reads.
func (f *Operator) stillAdmin(ctx context.Context, tx Tx, by Actor) error {
	if by.key != nil {
		_, err := f.keyOf(ctx, tx, by.key.Hash)
		return err
	}
	if by.admin == nil {
		return nil
	}
	admin, err := f.owned(ctx, tx, *by.admin)
	if err == nil && !slices.Contains(admin.Roles, RoleAdmin) {
		err = ErrNotAdmin
	}
	return err
}
