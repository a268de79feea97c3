package flow

import (
	"context"
	"errors"

	"portico/internal/assertion"
	"portico/internal/openid"
)

// CheckProof returns what a key proof shows, or an openid.Error. It does not decide
// whether the proof was used before.
func (f *OpenID) CheckProof(text string, use assertion.Use) (assertion.KeyProof, error) {
	p, err := f.asserted.CheckProof(text, use)
	var wrong assertion.Wrong
	if errors.As(err, &wrong) {
		err = openid.InvalidProof(wrong.Error())
	}
	return p, err
}

// SpendProof uses up a key proof, or returns an openid.Error if it was used before.
func (f *OpenID) SpendProof(ctx context.Context, p assertion.KeyProof) error {
	if p.Key == "" {
		return nil
	}
	return f.store.Write(ctx, func(tx Tx) error { return f.spendProof(ctx, tx, p) })
}

// spendProof is SpendProof in a transaction. It stands in the transaction of what the proof
// is for, so that only requests that succeed write a row.
func (f *OpenID) spendProof(ctx context.Context, tx Tx, p assertion.KeyProof) error {
	first, err := f.asserted.SpendProof(ctx, tx, p)
	if err == nil && !first {
		err = openid.InvalidProof("the DPoP proof was used before: make one for each request")
	}
	return err
}
