package flow

import (
	"context"

	"portico/internal/account"
	"portico/internal/audit"
	"portico/internal/session"
	"portico/internal/throttle"
)

// learnLocale stores the locale of the first sign-in to an account without one, which
// an operator has made.
func (f *Flows) learnLocale(ctx context.Context, tx Tx, c Caller, a *account.Account) error {
	if a.Locale != "" || c.Locale == "" {
		return nil
	}
	a.Locale = c.Locale
	if err := tx.UpdateLocale(ctx, a.ID, a.Locale); err != nil {
		return err
	}
	return f.record.tell(ctx, tx, fact(c, audit.LocaleChanged, a.ID, a.Locale)) // the record has the sign-in
}

// followChoice stores the locale that the visitor chose in the menu of a page
// before signing in. It runs when the email about the sign-in is already written:
// a thief must not choose the language of the warning.
func (f *core) followChoice(ctx context.Context, tx Tx, c Caller, a account.Account) error {
	if !c.Chosen {
		return nil
	}
	return f.setLocale(ctx, tx, c, a, c.Locale)
}

// setLocale stores and records another locale of an account.
func (f *core) setLocale(ctx context.Context, tx Tx, c Caller, a account.Account, chosen string) error {
	if chosen == a.Locale {
		return nil
	}
	if err := tx.UpdateLocale(ctx, a.ID, chosen); err != nil {
		return err
	}
	return f.record.Add(ctx, tx, fact(c, audit.LocaleChanged, a.ID, chosen))
}

// ChooseLocale stores the caller's locale in the account of the caller's session,
// so that later emails use it. Without a session it does nothing, and after many changes only the page
// follows the choice.
func (f *Flows) ChooseLocale(ctx context.Context, c Caller) error {
	found, err := f.Session(ctx, c.Session)
	if err == nil {
		err = f.own(ctx, found, func(tx Tx, owner judged) error {
			if c.Locale == owner.Locale {
				return nil
			}
			if err := f.take(ctx, tx, throttle.Attempt{Limit: profileDay, Subject: owner.ID}); err != nil {
				return err
			}
			return f.setLocale(ctx, tx, c, owner.Account, c.Locale)
		})
	}
	return ignore(ignore(err, session.Required), throttle.Limited(0))
}
