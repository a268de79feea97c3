package flow

import (
	"context"
	"slices"

	"portico/internal/account"
	"portico/internal/fault"
	"portico/internal/federation"
)

// noProof means that a provider has not confirmed a new proof.
var noProof = fault.New(fault.Forbidden, federation.CodeNoProof)

// Renewal is how the owner of an account can give a new proof if a provider does not
// confirm one.
type Renewal int

// The renewals, the best one first.
const (
	ByPassword Renewal = iota
	ByReset            // a recovery sets the first password
	ByOther            // another way to sign in
)

// RenewalOf returns how the owner of an account can give a new proof.
func (f *Owner) RenewalOf(ctx context.Context, accountID string) (r Renewal, err error) {
	err = f.store.Read(ctx, func(tx Tx) error {
		a, ok, err := tx.AccountByID(ctx, accountID)
		if err != nil {
			return err
		}
		linked, err := f.workingIdentities(ctx, tx, accountID)
		if err != nil {
			return err
		}
		proves, err := f.provesBesidePassword(ctx, tx, accountID, linked)
		switch {
		case ok && a.Password != "":
			r = ByPassword
		case !proves:
			r = ByReset
		default:
			r = ByOther
		}
		return err
	})
	return r, err
}

// provesBesidePassword reports whether the owner of an account can give a new proof
// without a password: by a second factor, a passkey, or a provider that tells when its
// user signed in. It costs the same with and without an account, so it reads no recovery codes.
func (f *core) provesBesidePassword(ctx context.Context, tx Tx, accountID string, linked []account.Identity) (bool, error) {
	apps, err := tx.FactorsOf(ctx, accountID)
	if err != nil {
		return false, err
	}
	passkeys, err := tx.PasskeysOf(ctx, accountID)
	return len(apps)+f.working(passkeys) > 0 || slices.ContainsFunc(linked, f.tellsTime), err
}

// tellsTime reports whether the provider of an identity may tell when its user signed in.
func (f *core) tellsTime(i account.Identity) bool {
	return i.TellsTime != account.Omits &&
		slices.ContainsFunc(f.providers.List(), func(p federation.Provider) bool { return p.ID == i.Provider && !p.TellsNoTime })
}

// learnTime keeps whether the provider tells when the user of an identity signed in. Only
// an answer to the demand for a new proof shows that it does not: OpenID Connect lets a
// provider omit the time otherwise. A provider that has told once does, because a browser
// can take the demand out of the request.
func learnTime(ctx context.Context, tx Tx, i account.Identity, asked bool, who federation.Identity) error {
	learned := i.TellsTime
	switch {
	case !who.SignedInAt.IsZero():
		learned = account.Tells
	case asked && learned == account.NeverAsked:
		learned = account.Omits
	}
	if learned == i.TellsTime {
		return nil
	}
	return tx.UpdateTellsTime(ctx, i.Issuer, i.Subject, learned)
}
