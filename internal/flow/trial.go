package flow

import (
	"context"
	"errors"
	"slices"
	"strconv"

	"portico/internal/account"
	"portico/internal/audit"
	"portico/internal/code"
	"portico/internal/factor"
	"portico/internal/fault"
	"portico/internal/password"
)

// parsedFactor is a second factor as it was typed. Exactly one field is set.
type parsedFactor struct {
	digits   string
	recovery string // not judged yet: the form depends on the account
}

func parseFactor(in FactorInput) (g parsedFactor, bad *fault.Field) {
	if !in.Recovery {
		g.digits, bad = code.ParseBetween(factor.Digits, factor.MostDigits, in.Code, "code")
		return g, bad
	}
	if in.Code == "" {
		return parsedFactor{}, &fault.Field{Name: "code", Code: code.CodeRequired}
	}
	return parsedFactor{recovery: in.Code}, nil
}

// trial is one guess of a second factor.
type trial struct {
	flowID string // subject of the guesses of one step: a flow, or a session
	factor parsedFactor
	of     func(tx Tx) (judged, error) // the account, if the step still stands

	counted  bool   // the guess is counted already
	left     int    // guesses after this one
	device   string // id of the browser, if the account knows it
	matches  bool   // the recovery code is the selected one
	selected factor.RecoveryCode
}

// prepare does what needs time. A recovery code is hashed outside any transaction,
// so its guess is counted in an earlier one. It costs the same when the account
// has no such code. A text that can be no code of the account costs no guess.
func (f *Flows) prepare(ctx context.Context, c Caller, t trial) (trial, error) {
	if t.factor.recovery == "" {
		return t, nil
	}
	var refused *fault.Error
	var guesses []factor.Guess
	err := f.store.Write(ctx, func(tx Tx) error {
		a, err := t.of(tx)
		if err != nil {
			return err
		}
		if guesses, err = f.factors.Guesses(ctx, tx, a.ID, t.factor.recovery); err != nil {
			return err
		}
		t, refused, err = f.countFactor(ctx, tx, c, a.Account, t)
		return err
	})
	if err != nil {
		return t, err
	}
	if refused != nil {
		return t, refused
	}
	t.counted = true
	var pairs []password.Pair
	for _, g := range guesses {
		pairs = append(pairs, password.Pair{Hash: g.Hash, Text: g.Text})
	}
	right, err := f.passwords.VerifyAny(ctx, pairs)
	if t.matches = right >= 0; t.matches {
		t.selected = guesses[right].RecoveryCode
	}
	return t, err
}

// try counts and checks a second factor, and uses it up. It returns its method, or
// the fault of a wrong one. A refused guess is not an error, because its count must
// be committed.
func (f *Flows) try(ctx context.Context, tx Tx, c Caller, a account.Account, t trial) (method string, refused *fault.Error, err error) {
	if err := f.fits(ctx, tx, a, t.factor.digits); err != nil {
		return "", nil, err
	}
	if !t.counted {
		if t, refused, err = f.countFactor(ctx, tx, c, a, t); err != nil || refused != nil {
			return "", refused, err
		}
	}
	if t.factor.recovery != "" {
		method, err = f.spendCode(ctx, tx, c, a, t)
	} else {
		_, err = f.factors.Use(ctx, tx, a.ID, t.factor.digits)
		method = string(factor.TOTP)
	}
	switch {
	case errors.Is(err, factor.Wrong), errors.Is(err, factor.Replayed):
		refused, err = f.wrongFactorOf(ctx, tx, c, a, t.left, fault.From(err))
		return "", refused, err
	case err != nil:
		return "", nil, err
	}
	return method, nil, f.forgetFactors(ctx, tx, a, t)
}

// fits returns the fault of a code that no authenticator app of the account can show, because it has
// another number of digits. It costs no guess. An empty code fits.
func (f *Flows) fits(ctx context.Context, tx Tx, a account.Account, digits string) error {
	if digits == "" {
		return nil
	}
	apps, err := tx.FactorsOf(ctx, a.ID)
	shortest, longest := lengths(apps)
	switch {
	case err != nil:
		return err
	case len(digits) == shortest, slices.ContainsFunc(apps, func(app factor.Factor) bool { return app.Form.Digits == len(digits) }):
		return nil
	case longest > code.Length:
		return fault.InvalidFields(fault.Field{Name: "code", Code: factor.CodeFormat})
	}
	return fault.InvalidFields(fault.Field{Name: "code", Code: code.CodeFormat})
}

// spendCode uses up the recovery code of a trial, and tells the owner.
func (f *Flows) spendCode(ctx context.Context, tx Tx, c Caller, a account.Account, t trial) (string, error) {
	if !t.matches {
		return "", factor.Wrong
	}
	// The set may have been replaced while the hash was made.
	left, err := f.factors.Left(ctx, tx, t.selected)
	if err != nil {
		return "", err
	}
	if left == 0 {
		return "", factor.Wrong
	}
	if err := f.factors.Spend(ctx, tx, t.selected); err != nil {
		return "", err
	}
	remaining := strconv.Itoa(left - 1)
	if err := f.record.Add(ctx, tx, fact(c, audit.CodeSpent, a.ID, remaining)); err != nil {
		return "", err
	}
	return factor.RecoveryWord, f.post(ctx, tx, c, email{template: mailCodeSpent, owner: &a, left: remaining})
}
