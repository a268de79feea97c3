package flow

import (
	"context"

	"portico/internal/account"
	"portico/internal/apikey"
	"portico/internal/audit"
	"portico/internal/session"
)

// Removed counts what removeFactors has removed.
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
		if removed, err = removeFactors(ctx, tx, a); err != nil || removed == (Removed{}) {
			return err
		}
		if err := f.afterRemoval(ctx, tx, a, "", session.Operator); err != nil {
			return err
		}
		if removed.Factors > 0 {
			if err := f.noteReset(ctx, tx, by, a.Account, audit.FactorRemoved, mailFactorRemoved); err != nil {
				return err
			}
		}
		if removed.Passkeys > 0 {
			return f.noteReset(ctx, tx, by, a.Account, audit.PasskeyRemoved, mailPasskeyRemoved)
		}
		return nil
	})
	return removed, err
}

// removeFactors removes all second factors, passkeys and recovery codes of an account.
func removeFactors(ctx context.Context, tx Tx, a cleared) (removed Removed, err error) {
	factors, err := tx.FactorsOf(ctx, a.ID)
	if err != nil {
		return removed, err
	}
	for _, each := range factors {
		if _, err := tx.DeleteFactor(ctx, a.ID, each.ID); err != nil {
			return removed, err
		}
	}
	passkeys, err := tx.PasskeysOf(ctx, a.ID)
	if err != nil {
		return removed, err
	}
	for _, each := range passkeys {
		if _, err := tx.DeletePasskey(ctx, a.ID, each.ID); err != nil {
			return removed, err
		}
	}
	return Removed{len(factors), len(passkeys)}, tx.DeleteRecoveryCodes(ctx, a.ID)
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
