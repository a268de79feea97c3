package storetest

import (
	"time"

	"portico/internal/factor"
	"portico/internal/store"
)

type factors struct{ *bundle }

func (b factors) InsertFactor_EveryField() {
	f := b.factor(b.person(1).ID, 1)
	b.factor(b.person(2).ID, 2)
	b.equal("the factors of the account", b.factors(f.AccountID), []factor.Factor{f})
}

func (b factors) InsertFactor_Refused() {
	f := b.factor(b.person(1).ID, 1)
	other := full[factor.Factor](2)
	b.fails("a factor without an account", func(tx *store.Tx) error { return tx.InsertFactor(b.Context(), other) })
	b.fails("an id that is taken", func(tx *store.Tx) error { return tx.InsertFactor(b.Context(), f) })
}

func (b factors) FactorsOf_LastUsedFirst() {
	a := b.person(1)
	second, third, first := b.factor(a.ID, 2), b.factor(a.ID, 3), b.factor(a.ID, 1)
	b.equal("the factors", b.factors(a.ID), []factor.Factor{third, second, first})
	b.did(func(tx *store.Tx) (bool, error) {
		return tx.UseFactor(b.Context(), first.ID, first.LastStep+1, third.UsedAt.Add(time.Second))
	})
	if got := b.factors(a.ID); got[0].ID != first.ID {
		b.Errorf("the first is %s, want the one that was used last", got[0].ID)
	}
}

func (b factors) UseFactor_LaterStepsOnly() {
	f, other := b.factor(b.person(1).ID, 1), b.factor(b.person(2).ID, 2)
	for _, step := range []int64{f.LastStep, f.LastStep - 1} {
		if b.did(func(tx *store.Tx) (bool, error) { return tx.UseFactor(b.Context(), f.ID, step, moment()) }) {
			b.Errorf("the step %d was taken after %d", step, f.LastStep)
		}
	}
	used := moment().Add(time.Hour)
	if !b.did(func(tx *store.Tx) (bool, error) { return tx.UseFactor(b.Context(), f.ID, f.LastStep+1, used) }) {
		b.Error("the next step was refused")
	}
	f.LastStep, f.UsedAt = f.LastStep+1, used
	b.equal("the used one", b.factors(f.AccountID), []factor.Factor{f})
	b.equal("the other", b.factors(other.AccountID), []factor.Factor{other})
}

// SEC-034: one code at many nodes at once.
func (b factors) UseFactor_OneOfMany() {
	f := b.factor(b.person(1).ID, 1)
	b.oneWins(func(tx *store.Tx, _ int) (bool, error) {
		return tx.UseFactor(b.Context(), f.ID, f.LastStep+1, moment())
	})
}

func (b factors) DeleteFactor_OnlyOneOfTheOwn() {
	a, other := b.person(1), b.person(2)
	f, second, theirs := b.factor(a.ID, 1), b.factor(a.ID, 2), b.factor(other.ID, 3)
	if b.did(func(tx *store.Tx) (bool, error) { return tx.DeleteFactor(b.Context(), a.ID, theirs.ID) }) {
		b.Error("one account deleted a factor of another")
	}
	for _, want := range []bool{true, false} {
		if b.did(func(tx *store.Tx) (bool, error) { return tx.DeleteFactor(b.Context(), a.ID, f.ID) }) != want {
			b.Errorf("deleted, want %v", want)
		}
	}
	b.equal("what is left", b.factors(a.ID), []factor.Factor{second})
}

func (b factors) DeleteAccount_WithItsFactors() {
	f := b.factor(b.person(1).ID, 1)
	c := b.recoveryCode(f.AccountID, 1)
	b.did(func(tx *store.Tx) (bool, error) { return tx.DeleteAccount(b.Context(), f.AccountID) })
	if len(b.factors(f.AccountID)) > 0 || len(b.recoveryCodes(c.AccountID)) > 0 {
		b.Error("a factor outlived its account")
	}
}

func (b *bundle) factor(accountID string, number int) factor.Factor {
	b.Helper()
	f := full[factor.Factor](number)
	f.AccountID = accountID
	b.write(func(tx *store.Tx) error { return tx.InsertFactor(b.Context(), f) })
	return f
}

func (b *bundle) factors(accountID string) []factor.Factor {
	b.Helper()
	return list(b, func(tx *store.Tx) ([]factor.Factor, error) { return tx.FactorsOf(b.Context(), accountID) })
}

type recoveryCodes struct{ *bundle }

func (b recoveryCodes) InsertRecoveryCode_EveryField() {
	c := b.recoveryCode(b.person(1).ID, 1)
	b.recoveryCode(b.person(2).ID, 2)
	b.equal("the codes of the account", b.recoveryCodes(c.AccountID), []factor.RecoveryCode{c})
}

func (b recoveryCodes) InsertRecoveryCode_OneOfASelector() {
	c := b.recoveryCode(b.person(1).ID, 1)
	same := full[factor.RecoveryCode](2)
	same.AccountID, same.Selector = c.AccountID, c.Selector
	if b.did(func(tx *store.Tx) (bool, error) { return tx.InsertRecoveryCode(b.Context(), same) }) {
		b.Error("two codes have one selector")
	}
	b.equal("the codes", b.recoveryCodes(c.AccountID), []factor.RecoveryCode{c})
}

func (b recoveryCodes) RecoveryCodesOf_OneAccount() {
	first, second := b.recoveryCode(b.person(1).ID, 1), b.recoveryCode(b.person(2).ID, 2)
	b.equal("the codes of the first", b.recoveryCodes(first.AccountID), []factor.RecoveryCode{first})
	b.equal("the codes of the second", b.recoveryCodes(second.AccountID), []factor.RecoveryCode{second})
}

// SEC-037: one code at many nodes at once.
func (b recoveryCodes) UseRecoveryCode_OneOfMany() {
	c := b.recoveryCode(b.person(1).ID, 1)
	kept := b.recoveryCode(c.AccountID, 2)
	b.oneWins(func(tx *store.Tx, _ int) (bool, error) {
		return tx.UseRecoveryCode(b.Context(), c.AccountID, c.Selector)
	})
	b.equal("the codes that are left", b.recoveryCodes(c.AccountID), []factor.RecoveryCode{kept})
}

func (b recoveryCodes) DeleteRecoveryCodes_OfOneAccount() {
	mine, theirs := b.recoveryCode(b.person(1).ID, 1), b.recoveryCode(b.person(2).ID, 2)
	b.write(func(tx *store.Tx) error { return tx.DeleteRecoveryCodes(b.Context(), mine.AccountID) })
	if len(b.recoveryCodes(mine.AccountID)) != 0 || len(b.recoveryCodes(theirs.AccountID)) != 1 {
		b.Error("not the codes of that account, and those alone, are gone")
	}
}

func (b *bundle) recoveryCode(accountID string, number int) factor.RecoveryCode {
	b.Helper()
	c := full[factor.RecoveryCode](number)
	c.AccountID = accountID
	b.did(func(tx *store.Tx) (bool, error) { return tx.InsertRecoveryCode(b.Context(), c) })
	return c
}

func (b *bundle) recoveryCodes(accountID string) []factor.RecoveryCode {
	b.Helper()
	return list(b, func(tx *store.Tx) ([]factor.RecoveryCode, error) {
		return tx.RecoveryCodesOf(b.Context(), accountID)
	})
}
