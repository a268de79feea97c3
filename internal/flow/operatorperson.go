package flow

import (
	"context"

	"portico/internal/account"
	"portico/internal/factor"
	"portico/internal/ids"
	"portico/internal/passkey"
	"portico/internal/session"
	"portico/internal/trust"
)

// Person is an account with everything that is known for support.
type Person struct {
	Story
	Addresses []account.Other
	Sessions  []session.Session
	Factors   []factor.Factor // without their secrets
	Codes     int             // recovery codes that are left
	Passkeys  []passkey.Passkey
	Browsers  []trust.Browser
	Providers []OwnProvider // with an identity
	Apps      []App
}

// Person returns the person with the id of an account, or account.Missing.
func (f *Operator) Person(ctx context.Context, id string) (p Person, err error) {
	if !ids.Valid(id) {
		return p, account.Missing
	}
	var known account.Account
	err = f.store.Read(ctx, func(tx Tx) error {
		a, ok, err := tx.AccountByID(ctx, id)
		if err != nil || !ok {
			return missing(err)
		}
		known = a
		return nil
	})
	if err != nil {
		return p, err
	}
	if p.Story, err = f.Why(ctx, known.Address.Mail); err != nil {
		return p, err
	}
	p.Account = &known // the address may have moved since
	second, err := f.reader.Factors(ctx, id)
	if err != nil {
		return p, err
	}
	p.Factors, p.Codes = second.Factors, second.Left
	linked, err := f.OwnProviders(ctx, id)
	for _, l := range linked {
		if !l.Since.IsZero() {
			p.Providers = append(p.Providers, l)
		}
	}
	if err != nil {
		return p, err
	}
	for _, read := range []func() error{
		func() (err error) { p.Addresses, err = f.reader.Addresses(ctx, id); return err },
		func() (err error) { p.Sessions, err = f.UserSessions(ctx, id); return err },
		func() (err error) { p.Passkeys, err = f.reader.Passkeys(ctx, id); return err },
		func() (err error) { p.Browsers, err = f.TrustedBrowsers(ctx, id); return err },
		func() (err error) { p.Apps, err = f.reader.Apps(ctx, id); return err },
	} {
		if err := read(); err != nil {
			return p, err
		}
	}
	return p, nil
}
