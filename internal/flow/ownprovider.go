package flow

import (
	"context"
	"slices"
	"time"

	"portico/internal/account"
	"portico/internal/audit"
	"portico/internal/ids"
	"portico/internal/pages"
	"portico/internal/session"
)

// OwnProvider is a provider as the owner of an account sees it.
type OwnProvider struct {
	ID    string
	Name  string
	Since time.Time // zero if the account has no identity there
}

// OwnProviders returns the providers that the site offers, and the ones that the account
// has an identity at.
func (f *Owner) OwnProviders(ctx context.Context, accountID string) ([]OwnProvider, error) {
	return read(ctx, f.store, func(tx Tx) ([]OwnProvider, error) { return f.ownProviders(ctx, tx, accountID) })
}

func (f *core) ownProviders(ctx context.Context, tx Tx, accountID string) (list []OwnProvider, err error) {
	for _, p := range f.providers.List() {
		list = append(list, OwnProvider{ID: p.ID, Name: p.Name})
	}
	identities, err := tx.IdentitiesOf(ctx, accountID)
	for _, i := range identities {
		at := slices.IndexFunc(list, func(l OwnProvider) bool { return l.ID == i.Provider })
		if at < 0 {
			list = append(list, OwnProvider{ID: i.Provider, Name: i.Provider})
			at = len(list) - 1
		}
		list[at].Since = i.CreatedAt
	}
	return list, err
}

// ConnectProvider begins to connect the account of the signed-in user with a
// provider, and returns the address of the provider's page. The attempt belongs to
// this browser and this session.
//
// Faults: ProofNeeded, session.Required, AlreadyLinked; provider.unknown,
// .unavailable, .rejected; throttle.Limited.
func (f *Owner) ConnectProvider(ctx context.Context, c Caller, found session.Found, providerID string) (Result, error) {
	if err := f.Fresh(ctx, found); err != nil {
		return Result{}, err // before the provider is asked
	}
	if err := f.count(ctx, fromNetwork(providerPeer, c)...); err != nil {
		return Result{}, err
	}
	id := ids.New()
	begun, err := f.providers.Begin(ctx, providerID, id)
	if err != nil {
		return Result{}, err
	}
	value, fresh := browser(c)
	err = f.guarded(ctx, found, func(tx Tx, owner cleared) error {
		identities, err := tx.IdentitiesOf(ctx, owner.ID)
		if err != nil {
			return err
		}
		if slices.ContainsFunc(identities, func(i account.Identity) bool { return i.Provider == providerID }) {
			return AlreadyLinked
		}
		_, err = f.begin(ctx, tx, Pending{
			ID: id, Kind: Provider, Step: Callback, AccountID: owner.ID, Version: owner.FlowVersion(), AddressKey: owner.Address.Key,
		}, data{ProviderID: providerID, Attempt: begun.Pending, Session: found.Session.ID}, value)
		return err
	})
	return Result{Next: begun.URL, FlowID: id, BrowserCookie: fresh}, err
}

// connect joins the identity of a provider's response to the account whose session
// has asked for it, and tells the owner.
//
// Faults: Unknown for another session, IdentityTaken, AlreadyLinked; as finishes.
func (f *Flows) connect(ctx context.Context, c Caller, p Pending, d data, who *identity) (Result, error) {
	found, err := f.Session(ctx, c.Session)
	if err := ignore(err, session.Required); err != nil {
		return Result{}, err
	}
	if found.Session.ID != d.Session { // also without a session
		return Result{}, Unknown
	}
	err = f.own(ctx, found, func(tx Tx, asking judged) error {
		owner, err := f.finishes(ctx, tx, found, asking, p)
		if err != nil {
			return err
		}
		linked, ok, err := tx.IdentityBySubject(ctx, who.Issuer, who.Subject)
		switch {
		case err != nil:
			return err
		case ok && linked.AccountID != owner.ID:
			return IdentityTaken
		case ok:
			return f.advance(ctx, tx, p, Done)
		}
		identities, err := tx.IdentitiesOf(ctx, owner.ID)
		if err != nil {
			return err
		}
		if slices.ContainsFunc(identities, func(i account.Identity) bool { return i.Issuer == who.Issuer }) {
			return AlreadyLinked
		}
		if err := f.advance(ctx, tx, p, Done); err != nil {
			return err
		}
		return f.attachTold(ctx, tx, c, owner, *who)
	})
	return Result{Next: pages.Providers, Connected: err == nil}, err
}

// DisconnectProvider removes the identities of the signed-in user at a provider, if
// another way in remains. It ends every session, starts the one of this browser
// again, and tells the owner.
//
// Faults: LastWay, NotLinked, ProofNeeded, session.Required.
func (f *Owner) DisconnectProvider(ctx context.Context, c Caller, found session.Found, providerID string) (r Result, err error) {
	err = f.guarded(ctx, found, func(tx Tx, owner cleared) error {
		if ok, err := f.unlink(ctx, tx, c, &owner, providerID, fact(c, audit.RolesChanged, owner.ID, ""), true); err != nil {
			return err
		} else if !ok {
			return NotLinked
		}
		left, err := f.waysOtherThanPassword(ctx, tx, owner.ID)
		if err != nil {
			return err
		}
		if left == 0 && owner.Password == "" {
			return LastWay
		}
		if err := tx.RaiseVersion(ctx, owner.ID); err != nil {
			return err
		}
		if err := f.endAll(ctx, tx, owner.ID, "", session.Changed); err != nil {
			return err
		}
		if err := f.record.Add(ctx, tx, fact(c, audit.ProviderRemoved, owner.ID, providerID)); err != nil {
			return err
		}
		if err := f.post(ctx, tx, c, email{template: mailDisconnected, owner: &owner.Account, provider: f.named(providerID)["provider"]}); err != nil {
			return err
		}
		owner.raised()
		r, err = f.renewed(ctx, tx, c, owner.judged, found.Session)
		return err
	})
	return r, err
}
