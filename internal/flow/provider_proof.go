package flow

import (
	"context"
	"slices"

	"portico/internal/account"
	"portico/internal/federation"
)

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
func (f *Flows) RenewalOf(ctx context.Context, accountID string) (r Renewal, err error) {
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
// user signed in. It costs the same with and without an account.
func (f *Flows) provesBesidePassword(ctx context.Context, tx Tx, accountID string, linked []account.Identity) (bool, error) {
	have, err := f.second(ctx, tx, accountID)
	return have.Any() || slices.ContainsFunc(linked, f.tellsTime), err
}

// tellsTime reports whether the provider of an identity can tell when its user signed in.
func (f *Flows) tellsTime(i account.Identity) bool {
	return slices.ContainsFunc(f.providers.List(), func(p federation.Provider) bool { return p.ID == i.Provider && !p.TellsNoTime })
}
