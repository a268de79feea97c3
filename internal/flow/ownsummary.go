package flow

import (
	"context"

	"portico/internal/account"
	"portico/internal/passkey"
	"portico/internal/session"
	"portico/internal/trust"
)

// Head is what every account page shows of its account.
type Head struct {
	Portrait string // the id of the picture, "" for none
	Closed   error  // Alarmed while an alarm closes the account to changes of how it is signed in to
}

// Head returns the head of the pages of an account.
func (f *Owner) Head(ctx context.Context, accountID string) (h Head, err error) {
	err = f.store.Read(ctx, func(tx Tx) error {
		if h.Portrait, err = tx.PortraitID(ctx, accountID); err != nil {
			return err
		}
		owner, _, err := tx.AccountByID(ctx, accountID)
		if err == nil && f.alarmed(owner) {
			h.Closed = f.stopped(owner)
		}
		return err
	})
	return h, err
}

// Overview is what an account has, for the page that names it all.
type Overview struct {
	account.Summary
	Second    SecondFactors
	Providers []OwnProvider
	Browsers  []trust.Browser   // trusted ones; which of them count depends on all credentials
	Held      []passkey.Passkey // all its passkeys
}

// Overview returns the overview of the signed-in user.
func (f *Owner) Overview(ctx context.Context, found session.Found) (o Overview, err error) {
	now, id := f.clock.Now(), found.User.ID
	idle := f.sessions.IdleEnd(now).Sub(now)
	err = f.store.Read(ctx, func(tx Tx) error {
		if o.Summary, err = tx.SummaryOf(ctx, id, now, now.Add(-idle)); err != nil {
			return err
		}
		if o.Second, err = f.secondFactors(ctx, tx, id); err != nil {
			return err
		}
		if o.Providers, err = f.ownProviders(ctx, tx, id); err != nil {
			return err
		}
		if o.Browsers, err = f.trustedBrowsers(ctx, tx, id); err != nil {
			return err
		}
		o.Held, err = tx.PasskeysOf(ctx, id)
		return err
	})
	return o, err
}
