package flow

import (
	"context"
	"slices"

	"portico/internal/audit"
	"portico/internal/fault"
	"portico/internal/ids"
	"portico/internal/session"
	"portico/internal/throttle"
)

// Profile is what the owner of an account may change without a new proof. It is compared, and
// kept in the cookie by which a change is undone.
type Profile struct {
	Name   string
	Locale string // language of the emails
}

// Profile returns the profile of an account.
func (f *Owner) Profile(ctx context.Context, accountID string) (p Profile, err error) {
	err = f.store.Read(ctx, func(tx Tx) error {
		a, _, err := tx.AccountByID(ctx, accountID)
		p = Profile{a.Name, a.Locale}
		return err
	})
	return p, err
}

// ChangeProfile sets the name and the language of the signed-in user's emails. A
// new name is notified and recorded, and apps see it from the next request. The
// locale has to be one of known, else it stays. It returns the profile before, and whether
// there is another one now.
//
// Faults: the field name, as parseName; session.Required, throttle.Limited.
func (f *Owner) ChangeProfile(ctx context.Context, c Caller, found session.Found, in Profile, known []string) (before Profile, changed bool, err error) {
	name, bad := f.parseName(in.Name)
	if bad != nil {
		return before, false, fault.InvalidFields(*bad)
	}
	err = f.own(ctx, found, func(tx Tx, owner judged) error {
		before = Profile{owner.Name, owner.Locale}
		now := Profile{name, owner.Locale}
		if slices.Contains(known, in.Locale) {
			now.Locale = in.Locale
		}
		if changed = now != before; !changed {
			return nil
		}
		if err := f.take(ctx, tx, throttle.Attempt{Limit: profileDay, Subject: owner.ID}); err != nil {
			return err
		}
		if err := f.rename(ctx, tx, c, owner, name, fact(c, audit.NameChanged, owner.ID, "")); err != nil {
			return err
		}
		return f.setLocale(ctx, tx, c, owner.Account, now.Locale)
	})
	return before, changed, err
}

// historyLength is how many audit records a user sees at once.
const historyLength = 100

// History returns the newest audit records of an account, or the newest ones older than
// the record with the id before: all, or those with the names. With more records, older
// is the id to go on with.
func (f *Owner) History(ctx context.Context, accountID, before string, names ...audit.Name) (list []audit.Fact, older string, err error) {
	if before != "" && !ids.Valid(before) {
		return nil, "", nil // as for the record of another account
	}
	list, err = read(ctx, f.store, func(tx Tx) ([]audit.Fact, error) {
		return tx.FactsOf(ctx, accountID, before, historyLength+1, names...)
	})
	if len(list) > historyLength {
		list = list[:historyLength]
		older = list[historyLength-1].ID
	}
	return list, older, err
}

// rename stores the name and everything that belongs to it.
func (f *core) rename(ctx context.Context, tx Tx, c Caller, a judged, name string, change audit.Fact) error {
	if name == a.Name {
		return nil
	}
	if err := tx.UpdateName(ctx, a.ID, name); err != nil {
		return err
	}
	if err := f.sessions.Changed(ctx, tx, a.ID); err != nil {
		return err
	}
	if err := f.record.Add(ctx, tx, change); err != nil {
		return err
	}
	return f.post(ctx, tx, c, email{template: mailName, owner: &a.Account})
}
