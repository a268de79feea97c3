package flow

import (
	"cmp"
	"context"
	"time"

	"portico/internal/account"
	"portico/internal/apikey"
	"portico/internal/audit"
	"portico/internal/factor"
	"portico/internal/ids"
	"portico/internal/outbox"
	"portico/internal/passkey"
	"portico/internal/session"
	"portico/internal/trust"
)

// Person is an account with everything that is known for support.
type Person struct {
	Account    account.Account
	Unproven   bool              // nobody has proven the primary address
	Leaves     account.Departure // zero unless the account is to be erased
	SeenAt     time.Time         // of the last use of a session; at most an hour too early once that session has ended
	Addresses  []account.Other
	Sessions   []session.Session // newest first
	Factors    []factor.Factor   // without their secrets
	Codes      int               // recovery codes that are left
	Passkeys   []passkey.Passkey
	Browsers   []trust.Browser
	Tokens     []apikey.Personal
	Identities []account.Identity
	Apps       []App
	Limits     []Standing
	Emails     []outbox.Outcome
	Again      map[string]bool // the ids of emails that MailAgain sends
	Facts      []audit.Fact    // newest first
	MoreFacts  bool            // whether there are older ones
}

// Person returns the person with the id of an account, or account.Missing. It counts
// nothing and changes nothing.
func (f *Operator) Person(ctx context.Context, id string) (p Person, err error) {
	if !ids.Valid(id) {
		return p, account.Missing
	}
	err = f.store.Read(ctx, func(tx Tx) error {
		a, ok, err := tx.AccountByID(ctx, id)
		if err != nil || !ok {
			return cmp.Or[error](err, account.Missing)
		}
		p = Person{Account: a}
		return f.support(ctx, tx, &p)
	})
	return p, err
}

// support reads what belongs to the account of a person.
func (f *Operator) support(ctx context.Context, tx Tx, p *Person) error {
	a := p.Account
	for _, read := range []func() error{
		func() (err error) { p.Addresses, err = tx.AddressesOf(ctx, a.ID, f.clock.Now()); return err },
		func() (err error) { p.Unproven, err = tx.IsUnproven(ctx, a.ID); return err },
		func() (err error) { p.Leaves, _, err = tx.DepartureOf(ctx, a.ID); return err },
		func() (err error) { p.Sessions, err = f.sessions.List(ctx, tx, a.ID); return err },
		func() (err error) { p.SeenAt, err = f.seen(ctx, tx, *p); return err },
		func() (err error) { p.Passkeys, err = tx.PasskeysOf(ctx, a.ID); return err },
		func() (err error) { p.Browsers, err = f.trustedBrowsers(ctx, tx, a.ID); return err },
		func() (err error) { p.Tokens, err = f.tokensOf(ctx, tx, a.ID); return err },
		func() (err error) { p.Identities, err = tx.IdentitiesOf(ctx, a.ID); return err },
		func() (err error) { p.Apps, err = f.apps(ctx, tx, a.ID); return err },
		func() (err error) { p.Limits, err = f.limitsOf(ctx, tx, a.Address.Key, &a); return err },
		func() (err error) { p.Emails, err = f.outcomesOf(ctx, tx, a.Address.Key); return err },
		func() error {
			p.Again = map[string]bool{}
			for _, o := range p.Emails {
				if o.State != outbox.GivenUp {
					continue
				}
				m, _, err := tx.Message(ctx, o.ID)
				if err != nil {
					return err
				}
				p.Again[o.ID] = m.AccountID == a.ID && f.outbox.Revives(m) // not one from before the account
			}
			return nil
		},
		func() (err error) {
			if p.Facts, err = tx.FactsOf(ctx, a.ID, "", storyLength+1); len(p.Facts) > storyLength {
				p.Facts, p.MoreFacts = p.Facts[:storyLength], true
			}
			return err
		},
		func() error {
			second, err := f.readFactors(ctx, tx, a.ID)
			p.Factors, p.Codes = second.Factors, second.Left
			return err
		},
	} {
		if err := read(); err != nil {
			return err
		}
	}
	return nil
}

// seen returns when a person last used a session, also one that has ended.
func (f *Operator) seen(ctx context.Context, tx Tx, p Person) (at time.Time, err error) {
	for _, s := range p.Sessions {
		if s.LastSeenAt.After(at) {
			at = s.LastSeenAt
		}
	}
	listed, err := tx.People(ctx, account.Query{Text: p.Account.Address.Key, By: account.ByAddress, Limit: account.MostPeople}, f.clock.Now())
	for _, l := range listed.People {
		if l.ID == p.Account.ID && l.SeenAt.After(at) {
			at = l.SeenAt
		}
	}
	return at, err
}
