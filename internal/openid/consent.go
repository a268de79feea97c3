package openid

import (
	"context"
	"errors"
	"slices"
	"time"
)

// Consent is what a user lets a client know.
type Consent struct {
	AccountID string
	ClientID  string
	Scopes    []string // as Request.Asks returns them
	GivenAt   time.Time
}

// ConsentStore has the operations of the database for consents.
type ConsentStore interface {
	ConsentOf(ctx context.Context, accountID, clientID string) (Consent, bool, error)
	// SaveConsent adds or replaces the consent of an account for a client.
	SaveConsent(ctx context.Context, c Consent) error
	// TrimConsents deletes all but the newest consents of an account.
	TrimConsents(ctx context.Context, accountID string, keep int) error
	// DeleteConsent reports whether there was one.
	DeleteConsent(ctx context.Context, accountID, clientID string) (bool, error)
	// DeleteConsents deletes the consents of an account, and returns the clients in some order.
	DeleteConsents(ctx context.Context, accountID string) (clients []string, err error)
	// ConsentsOf returns the consents of an account.
	ConsentsOf(ctx context.Context, accountID string) ([]Consent, error)
	// ClientsOf returns the clients with grants of an account that are in use, with
	// the time of the oldest grant.
	ClientsOf(ctx context.Context, accountID string, now time.Time) ([]Consent, error)
	// EndGrantsFor ends the grants of an account for a client. It returns each whose
	// code was redeemed.
	EndGrantsFor(ctx context.Context, accountID, clientID string, now time.Time) ([]Ended, error)
	// HoldersOf looks at so many accounts, in the order of their ids, after an id. It
	// returns the accounts among them that a client knows, by a consent or by a grant in
	// use, and the last account that it has looked at, "" if there was none.
	HoldersOf(ctx context.Context, clientID, after string, now time.Time, limit int) (holders []string, last string, err error)
}

// ErrConsentNeeded says that the user has to be asked first.
var ErrConsentNeeded = errors.New("the user must agree first")

// Agree returns ErrConsentNeeded unless the client needs no consent, or the user has
// agreed to all of that before. With Client.EachTime, what was agreed before does not count. agreed says that the
// user does so now. It reports whether something new was stored.
func (k *Keeper) Agree(ctx context.Context, tx ConsentStore, client Client, accountID string, scopes []string, agreed bool) (stored bool, err error) {
	if !client.Consent {
		return false, nil
	}
	before, _, err := tx.ConsentOf(ctx, accountID, client.ID)
	if err != nil || before.covers(scopes) && (agreed || !client.EachTime) {
		return false, err
	}
	if !agreed {
		return false, ErrConsentNeeded
	}
	for _, scope := range scopes {
		if !slices.Contains(before.Scopes, scope) {
			before.Scopes = append(before.Scopes, scope)
		}
	}
	if err := tx.SaveConsent(ctx, Consent{accountID, client.ID, before.Scopes, k.clock.Now()}); err != nil {
		return false, err
	}
	return true, tx.TrimConsents(ctx, accountID, MostOfAny)
}

func (c Consent) covers(scopes []string) bool {
	return !slices.ContainsFunc(scopes, func(s string) bool { return !slices.Contains(c.Scopes, s) })
}

// StillAllowed returns an error unless a live grant may still give tokens to its client. It judges by
// the rules, resources and scopes that the client has now, and by the roles, the second factor and the consent of the user. Every
// exchange for tokens asks it.
func (k *Keeper) StillAllowed(ctx context.Context, store ConsentStore, client Client, l Live) error {
	if client.Refuses(l, k.clock.Now()) {
		return invalidGrant("the user may no longer use the client, or only after a second factor")
	}
	if _, err := resources(l.Grant.Resources, client.Resources); err != nil {
		return invalidGrant("the client is no longer allowed what the user granted")
	}
	for _, scope := range l.Grant.scopes() {
		if !slices.Contains(client.Scopes, scope) {
			return invalidGrant("the client is no longer allowed the scope " + scope)
		}
	}
	if !client.Consent {
		return nil
	}
	given, _, err := store.ConsentOf(ctx, l.User.ID, client.ID)
	if err == nil && !given.covers(slices.Concat(l.Grant.scopes(), l.Grant.Resources)) {
		return invalidGrant("the user no longer agrees")
	}
	return err
}

// Apps returns the clients that know an account, by consents and by grants.
func (k *Keeper) Apps(ctx context.Context, store ConsentStore, accountID string) ([]Consent, error) {
	list, err := store.ConsentsOf(ctx, accountID)
	if err != nil {
		return nil, err
	}
	others, err := store.ClientsOf(ctx, accountID, k.clock.Now())
	for _, other := range others {
		if !slices.ContainsFunc(list, func(c Consent) bool { return c.ClientID == other.ClientID }) {
			list = append(list, other)
		}
	}
	slices.SortFunc(list, func(a, b Consent) int { return b.GivenAt.Compare(a.GivenAt) })
	return list, err
}

// Forgotten is what Forget has ended.
type Forgotten struct {
	Told    []Ended // for the client
	Grants  int
	Consent bool
}

// Any reports whether there was anything to end.
func (f Forgotten) Any() bool { return f.Consent || f.Grants > 0 }

// Forget ends everything that a client has obtained from an account.
func (k *Keeper) Forget(ctx context.Context, tx ConsentStore, accountID, clientID string) (Forgotten, error) {
	given, err := tx.DeleteConsent(ctx, accountID, clientID)
	if err != nil {
		return Forgotten{}, err
	}
	list, err := tx.EndGrantsFor(ctx, accountID, clientID, k.clock.Now())
	n := len(list)
	return Forgotten{once(list), n, given}, err
}

// holdersBatch is how many accounts Holders looks at.
const holdersBatch = 1000

// Holders looks at a batch of accounts after an id. It returns the accounts among them that
// a client knows, and the last one that it has looked at, "" if there was none.
func (k *Keeper) Holders(ctx context.Context, store ConsentStore, clientID, after string) (holders []string, last string, err error) {
	return store.HoldersOf(ctx, clientID, after, k.clock.Now(), holdersBatch)
}
