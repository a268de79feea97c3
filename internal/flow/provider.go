package flow

import (
	"context"
	"errors"
	"net/url"

	"portico/internal/account"
	"portico/internal/audit"
	"portico/internal/fault"
	"portico/internal/federation"
	"portico/internal/ids"
)

// StartProvider begins a sign-in with an external provider and returns the
// address of the provider's page. FlowID, if any, is another provider's
// identity that waits to be linked.
//
// Faults: provider.unknown, provider.unavailable, throttle.Limited.
func (f *Flows) StartProvider(ctx context.Context, c Caller, providerID, returnTo, flowID string) (r Result, err error) {
	ctx, w := f.watch(ctx, "start-provider", Provider)
	defer w.end(&r, &err)
	if _, err := f.count(ctx, fromNetwork(providerPeer, c)...); err != nil {
		return Result{}, err
	}
	id := ids.New()
	begun, err := f.providers.Begin(ctx, providerID, id)
	if err != nil {
		return Result{}, err
	}
	value, fresh := browser(c)
	err = f.store.Write(ctx, func(tx Tx) error {
		_, err := f.begin(ctx, tx,
			Pending{ID: id, Kind: Provider, Step: Callback, ReturnTo: f.targets.Clean(returnTo)},
			data{ProviderID: providerID, Attempt: begun.Pending, LinkFlow: flowID}, value)
		return err
	})
	return Result{Next: begun.URL, FlowID: id, Browser: fresh}, err
}

// FinishProvider takes the provider's answer: it signs in whom the identity is
// linked to, or registers a new person, or asks for a sign-in to the account
// that has the address.
//
// The flow is taken before the provider is asked, so an answer works once. With
// a fault, Next is where the person wanted to go.
//
// Faults: Unknown, Moved; provider.cancelled, .rejected, .unavailable,
// .no_address, .address_taken; account.Disabled; SignUpClosed.
func (f *Flows) FinishProvider(ctx context.Context, c Caller, providerID string, answer url.Values) (r Result, err error) {
	ctx, w := f.watch(ctx, "finish-provider", Provider)
	defer w.end(&r, &err)
	p, d, err := f.takeCallback(ctx, c, providerID, answer.Get("state"))
	if err != nil {
		return Result{Next: p.ReturnTo}, err
	}
	who, err := f.providers.Finish(ctx, providerID, d.Attempt, answer)
	if err != nil {
		return Result{Next: p.ReturnTo}, f.refuseProvider(ctx, c, providerID, err)
	}
	var owner string
	err = f.store.Write(ctx, func(tx Tx) error {
		linked, ok, err := tx.IdentityBySubject(ctx, who.Issuer, who.Subject)
		if err != nil {
			return err
		}
		if ok {
			owner = linked.AccountID
			r, err = f.returning(ctx, tx, c, p, d, linked)
		} else {
			r, err = f.arriving(ctx, tx, c, p, who)
		}
		return err
	})
	if err != nil {
		return Result{Next: p.ReturnTo}, f.refuseProvider(ctx, c, providerID, err)
	}
	return f.settled(r, owner), nil
}

// refuseProvider records an answer that did not lead to a sign-in, and returns
// its error.
func (f *Flows) refuseProvider(ctx context.Context, c Caller, providerID string, cause error) error {
	err := f.store.Write(ctx, func(tx Tx) error {
		return f.record.Add(ctx, tx, fact(c, audit.ProviderRefused, "", providerID+" "+fault.From(cause).Code))
	})
	return errors.Join(cause, err)
}

func (f *Flows) takeCallback(ctx context.Context, c Caller, providerID, flowID string) (p Pending, d data, err error) {
	err = f.store.Write(ctx, func(tx Tx) error {
		if p, d, err = f.at(ctx, tx, c, flowID, Callback); err != nil {
			return err
		}
		if d.ProviderID != providerID {
			return Unknown // mix-up: another provider's answer (RFC 9700 4.4)
		}
		err = f.advance(ctx, tx, p, Exchange)
		p.Step = Exchange
		return err
	})
	return p, d, err
}

// returning signs in the person of a known identity.
func (f *Flows) returning(ctx context.Context, tx Tx, c Caller, p Pending, d data, linked account.Identity) (Result, error) {
	a, ok, err := tx.AccountByID(ctx, linked.AccountID)
	switch {
	case err != nil:
		return Result{}, err
	case !ok || a.State != account.Active:
		return Result{}, account.Disabled
	}
	if err := f.learnLocale(ctx, tx, c, &a); err != nil {
		return Result{}, err
	}
	if err := f.advance(ctx, tx, p, Done); err != nil {
		return Result{}, err
	}
	returnTo, err := f.linkPending(ctx, tx, c, d.LinkFlow, a, p.ReturnTo)
	if err != nil {
		return Result{}, err
	}
	if err := f.noticeDevice(ctx, tx, c, a); err != nil {
		return Result{}, err
	}
	return f.enter(ctx, tx, c, a, returnTo, byProvider+linked.Provider)
}

// arriving handles an identity that nobody has. An address never links by
// itself: its owner signs in to the account first.
func (f *Flows) arriving(ctx context.Context, tx Tx, c Caller, p Pending, who federation.Identity) (Result, error) {
	address, bad := account.ParseAddress(who.Email, "email")
	if bad != nil {
		return Result{}, fault.New(fault.Invalid, CodeProviderNoAddress).WithParams(f.named(who.Provider))
	}
	waiting := data{
		Address:  address.Mail,
		Identity: &identity{Provider: who.Provider, Issuer: who.Issuer, Subject: who.Subject, Name: cleanName(who.Name)},
	}
	known, err := f.known(ctx, tx, address.Key)
	if err != nil {
		return Result{}, err
	}
	switch {
	case known != nil && who.EmailVerified:
		return f.askLink(ctx, tx, c, p, *known, waiting)
	case !f.signUp:
		return Result{}, SignUpClosed
	}
	if err := f.advance(ctx, tx, p, Done); err != nil {
		return Result{}, err
	}
	if !who.EmailVerified {
		// The provider does not vouch for the address, so the mailbox must: also
		// when it has an account, which only the mailbox learns.
		return f.awaitProof(ctx, tx, c, SignUp, address, known, p.ReturnTo, waiting)
	}
	next, err := f.begin(ctx, tx, Pending{Kind: SignUp, Step: Verify, AddressKey: address.Key, ReturnTo: p.ReturnTo}, waiting, c.Browser)
	if err != nil {
		return Result{}, err
	}
	if err := f.advance(ctx, tx, next, Done); err != nil {
		return Result{}, err
	}
	return f.register(ctx, tx, c, next, waiting)
}

// askLink keeps the identity until the owner of the account has signed in to
// it in this browser. An account that has another identity of the same
// provider is left alone: the provider may have given the address to somebody
// else (SEC-112).
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
		Kind: Provider, Step: Link, AccountID: a.ID, Version: a.Version, AddressKey: a.Address.Key, ReturnTo: p.ReturnTo,
	}, waiting, c.Browser)
	return Result{Next: "/auth/signin?flow=" + link.ID, FlowID: link.ID}, err
}

// linkPending links the identity that waits in the flow, when the account that
// has just been signed in to is the one it waits for, and tells its owner. A
// flow that is not there, or waits for another account, changes nothing about
// the sign-in.
func (f *Flows) linkPending(ctx context.Context, tx Tx, c Caller, flowID string, a account.Account, returnTo string) (string, error) {
	if flowID == "" {
		return returnTo, nil
	}
	p, d, err := f.at(ctx, tx, c, flowID, Link)
	if errors.Is(err, Unknown) || errors.Is(err, Moved) {
		return returnTo, nil
	}
	if err != nil || p.AccountID != a.ID || p.Version != a.Version || d.Identity == nil {
		return returnTo, err
	}
	if returnTo == "" {
		returnTo = p.ReturnTo
	}
	if err := f.advance(ctx, tx, p, Done); err != nil {
		return "", err
	}
	if err := f.attach(ctx, tx, c, a.ID, *d.Identity); err != nil {
		return "", err
	}
	return returnTo, f.post(ctx, tx, c, letter{
		template: mailLinked, owner: &a, provider: f.named(d.Identity.Provider)["provider"],
	})
}

// attach links an identity to an account and records it.
func (f *Flows) attach(ctx context.Context, tx Tx, c Caller, accountID string, i identity) error {
	ok, err := f.accounts.Link(ctx, tx, account.Identity{
		Issuer: i.Issuer, Subject: i.Subject, Provider: i.Provider, AccountID: accountID,
	})
	if err != nil {
		return err
	}
	if !ok {
		return Moved // linked to another account in the meantime
	}
	return f.record.Add(ctx, tx, fact(c, audit.ProviderLinked, accountID, i.Provider))
}

// named returns the params of a fault that names a provider.
func (f *Flows) named(id string) map[string]string {
	for _, p := range f.providers.List() {
		if p.ID == id {
			return map[string]string{"provider": p.Name}
		}
	}
	return map[string]string{"provider": id}
}
