package flow

import (
	"context"

	"portico/internal/account"
	"portico/internal/apikey"
	"portico/internal/audit"
	"portico/internal/session"
)

// Removed counts what ResetFactors has removed.
type Removed struct {
	Factors, Passkeys int
}

// ResetFactors removes all second factors, recovery codes and passkeys of an
// account, ends its sessions and tells its owner. It returns how many factors and
// passkeys there were.
func (f *Operator) ResetFactors(ctx context.Context, by Actor, id string) (removed Removed, err error) {
	if by.key != nil { // which would stand in for the factors of everybody
		return removed, apikey.Never
	}
	err = f.removing(ctx, by, id, func(tx Tx, a cleared) error {
		passkeys, err := tx.PasskeysOf(ctx, a.ID)
		if err != nil {
			return err
		}
		for _, p := range passkeys {
			if _, err := tx.DeletePasskey(ctx, a.ID, p.ID); err != nil {
				return err
			}
		}
		have, err := tx.FactorsOf(ctx, a.ID)
		if err != nil {
			return err
		}
		for _, each := range have {
			if _, err := tx.DeleteFactor(ctx, a.ID, each.ID); err != nil {
				return err
			}
		}
		if err := tx.DeleteRecoveryCodes(ctx, a.ID); err != nil {
			return err
		}
		if removed = (Removed{len(have), len(passkeys)}); removed == (Removed{}) {
			return nil
		}
		if err := f.afterRemoval(ctx, tx, a, "", session.Operator); err != nil {
			return err
		}
		if len(have) > 0 {
			if err := f.noteReset(ctx, tx, by, a.Account, audit.FactorRemoved, mailFactorRemoved); err != nil {
				return err
			}
		}
		if len(passkeys) > 0 {
			return f.noteReset(ctx, tx, by, a.Account, audit.PasskeyRemoved, mailPasskeyRemoved)
		}
		return nil
	})
	return removed, err
}

// noteReset records that an operator has removed everything of a kind, and tells
// the owner.
func (f *Operator) noteReset(ctx context.Context, tx Tx, by Actor, a account.Account, name audit.Name, template string) error {
	fact := by.fact(name, a.ID, "all")
	if err := f.record.Add(ctx, tx, fact); err != nil {
		return err
	}
	return f.post(ctx, tx, by.caller, email{template: template, owner: &a})
}
