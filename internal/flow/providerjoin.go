package flow

import (
	"context"

	"portico/internal/account"
	"portico/internal/audit"
	"portico/internal/fault"
	"portico/internal/pages"
)

// askLink keeps the identity until the owner of the account has signed in in this
// browser. It refuses an account that has another identity of the same provider,
// because the provider may have given the address to a different person (SEC-112).
func (f *Flows) askLink(ctx context.Context, tx Tx, c Caller, p Pending, a account.Account, waiting data) (Result, error) {
	linked, err := tx.IdentitiesOf(ctx, a.ID)
	if err != nil {
		return Result{}, err
	}
	for _, i := range linked {
		if i.Issuer == waiting.Identity.Issuer {
			return Result{}, fault.New(fault.Conflict, CodeProviderAddressTaken).WithParams(f.named(i.Provider))
		}
	}
	if err := f.advance(ctx, tx, p, Done); err != nil {
		return Result{}, err
	}
	link, err := f.begin(ctx, tx, Pending{
		Kind: Provider, Step: Join, AccountID: a.ID, AddressKey: a.Address.Key, ReturnTo: p.ReturnTo,
	}, waiting, c.BrowserCookie)
	return Result{Next: pages.Flow(pages.SignIn, link.ID), FlowID: link.ID}, err
}

// joinPending joins the identity that waits in the flow to the account that was
// just signed in to, and notifies its owner. If the flow does not exist or waits
// for another account, or after an alarm, the sign-in continues without it.
func (f *core) joinPending(ctx context.Context, tx Tx, c Caller, e entry) (Target, error) {
	p, d, a, ok, err := f.joining(ctx, tx, c, e)
	if err != nil || !ok {
		return e.returnTo, err
	}
	if e.returnTo == (Target{}) {
		e.returnTo = f.target(p)
	}
	if err := f.advance(ctx, tx, p, Done); err != nil {
		return Target{}, err
	}
	return e.returnTo, f.attachTold(ctx, tx, c, a, *d.Identity)
}

// joining returns the flow whose identity a sign-in joins to the account, if there is one.
func (f *core) joining(ctx context.Context, tx Tx, c Caller, e entry) (p Pending, d data, a cleared, ok bool, err error) {
	if e.joinFlow == "" {
		return p, d, a, false, nil
	}
	if p, d, err = f.at(ctx, tx, c, e.joinFlow, Join); err != nil {
		return p, d, a, false, ignore(ignore(err, Unknown), Moved)
	}
	a, ok, err = f.joins(ctx, tx, e, p, d)
	return p, d, a, ok, err
}

// attachTold joins an identity to an account that its owner had before, and tells the owner.
func (f *core) attachTold(ctx context.Context, tx Tx, c Caller, a cleared, i identity) error {
	if _, err := f.attach(ctx, tx, c, a, i, true); err != nil {
		return err
	}
	if err := f.endFlows(ctx, tx, &a); err != nil {
		return err
	}
	return f.post(ctx, tx, c, email{template: mailLinked, owner: &a.Account, provider: f.named(i.Provider)["provider"]})
}

// attach joins an identity to an account, with its roles, and records it. It returns the roles of
// the account.
func (f *core) attach(ctx context.Context, tx Tx, c Caller, a cleared, i identity, tell bool) ([]string, error) {
	ok, err := f.accounts.Join(ctx, tx, account.Identity{
		Issuer: i.Issuer, Subject: i.Subject, Provider: i.Provider, AccountID: a.ID,
	})
	if err != nil {
		return nil, err
	}
	if !ok {
		return nil, Moved // joined to another account in the meantime
	}
	if err := f.record.Add(ctx, tx, fact(c, audit.ProviderLinked, a.ID, i.Provider)); err != nil {
		return nil, err
	}
	after, err := f.grantsOf(ctx, tx, a.Account, i)
	if err != nil {
		return nil, err
	}
	return after.roles, f.grant(ctx, tx, c, a.judged, after, tell)
}
