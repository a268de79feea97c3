package flow

import (
	"context"
	"errors"
	"strconv"

	"portico/internal/account"
	"portico/internal/audit"
	"portico/internal/factor"
	"portico/internal/fault"
	"portico/internal/pages"
	"portico/internal/throttle"
)

// FactorInput is the input of GiveFactor and of StepUp.
type FactorInput struct {
	Code     string
	Recovery bool // the code is a recovery code
	Trust    bool // for GiveFactor: trust this browser, unless the code is a recovery code
}

// GiveFactor checks a second factor of a pending sign-in. The session or the terms
// follow.
//
// Faults: the field code with factor.Wrong and the count left, factor.Replayed or
// the fault of its form; factor.UsedUp, throttle.Limited, hashing.busy; Unknown,
// Overtaken, Moved.
func (f *Flows) GiveFactor(ctx context.Context, c Caller, flowID string, in FactorInput) (r Result, err error) {
	ctx, w := f.watch(ctx, "mfa", SecondFactor)
	defer w.end(&r, &err)
	typed, bad := parseFactor(in)
	if bad != nil {
		return Result{}, fault.InvalidFields(*bad)
	}
	p, r, done, err := f.unanswered(ctx, c, flowID, SecondFactor)
	if err != nil || done {
		return r, err
	}
	waits := func(tx Tx) (p Pending, d data, owner judged, err error) {
		if p, d, err = f.at(ctx, tx, c, flowID, Factor); err == nil {
			owner, err = f.waits(ctx, tx, p, d)
		}
		return p, d, owner, err
	}
	t, err := f.prepare(ctx, c, trial{flowID: p.ID, factor: typed, of: func(tx Tx) (judged, error) {
		_, _, owner, err := waits(tx)
		return owner, err
	}})
	if err != nil {
		return Result{}, err
	}
	var refused *fault.Error
	err = f.store.Write(ctx, func(tx Tx) error {
		p, d, owner, err := waits(tx)
		if err != nil {
			return err
		}
		method := ""
		if method, refused, err = f.try(ctx, tx, c, owner.Account, t); err != nil || refused != nil {
			return err
		}
		if err := f.advance(ctx, tx, p, Done); err != nil {
			return err
		}
		d.Trust = in.Trust && !in.Recovery
		r, err = f.admitted(ctx, tx, c, f.strengthened(owner, p, d, method))
		if err == nil && r.Session != nil {
			r.Next, err = f.afterFactor(ctx, tx, owner.ID, method, r.Next)
		}
		return err
	})
	switch {
	case err != nil:
		return Result{}, err
	case refused != nil:
		return Result{wrong: wrongFactor}, refused
	}
	return f.settled(r, p.AccountID, nil)
}

// afterFactor returns the page after a second factor. When few recovery codes are
// left, it is the page that offers new ones.
func (f *Flows) afterFactor(ctx context.Context, tx Tx, accountID, method, next string) (string, error) {
	if method != factor.RecoveryWord {
		return next, nil
	}
	left, err := tx.RecoveryCodesOf(ctx, accountID)
	if err != nil || len(left) > 1 {
		return next, err
	}
	return pages.ReturnTo(pages.Factors, next), nil
}

// StartAgain ends a sign-in or a sign-up that waits at a step, so that the visitor can start again. It
// succeeds when there is none. Whoever does not accept the terms of an account is signed out: the session that the browser
// had before ends too.
func (f *Flows) StartAgain(ctx context.Context, c Caller, flowID string, step Step) (r Result, err error) {
	err = f.store.Write(ctx, func(tx Tx) error {
		p, _, err := f.at(ctx, tx, c, flowID, step)
		if err != nil {
			return err
		}
		r = Result{Next: pages.ReturnTo(pages.SignIn, f.target(p).String())}
		if err = f.advance(ctx, tx, p, Done); err == nil && step == Accept && p.AccountID != "" {
			r.Next = pages.SignedOut
			r.left, err = f.signsOut(ctx, tx, c)
		}
		return err
	})
	if errors.Is(err, Unknown) || errors.Is(err, Moved) {
		return Result{Next: pages.SignIn}, nil
	}
	return f.settled(r, r.left, err)
}

// countFactor counts a guess before it is checked. It returns the fault of a guess
// that is refused.
func (f *Flows) countFactor(ctx context.Context, tx Tx, c Caller, a account.Account, t trial) (trial, *fault.Error, error) {
	var err error
	if t.device, err = f.knownDevice(ctx, tx, c, &a); err != nil {
		return t, nil, err
	}
	d, _, err := f.takeAny(ctx, tx, factorWays(t.flowID, t.device, a))
	switch {
	case err != nil:
		return t, nil, err
	case !d.Allowed && d.By == factorFlow.Name:
		return t, factor.UsedUp, nil
	case !d.Allowed:
		return t, throttle.Limited(throttle.Rounded(d.Wait)), nil
	}
	t.left = d.Left
	return t, nil, nil
}

// forgetFactors forgets the wrong second factors of the account, in all browsers.
func (f *Flows) forgetFactors(ctx context.Context, tx Tx, a account.Account, t trial) error {
	if t.device != "" {
		if err := f.clear(ctx, tx, paced(a.ID, t.device)); err != nil {
			return err
		}
	}
	return f.clear(ctx, tx, factorAttempts(a)...)
}

// wrongFactorOf records a wrong code. When the next one has to wait, it tells the
// owner, because whoever tries has given the first proof.
func (f *Flows) wrongFactorOf(ctx context.Context, tx Tx, c Caller, a account.Account, left int, cause *fault.Error) (*fault.Error, error) {
	entry := fact(c, audit.FactorFailed, a.ID, cause.Code)
	entry.Actor = actorStranger
	if err := f.record.Add(ctx, tx, entry); err != nil {
		return nil, err
	}
	if left == 0 {
		d, err := f.limiter.Take(ctx, tx, throttle.Attempt{Limit: factorNotice, Subject: a.ID})
		if err != nil {
			return nil, err
		}
		if d.Allowed {
			if err := f.post(ctx, tx, c, email{template: mailFactorFailed, owner: &a}); err != nil {
				return nil, err
			}
		}
		if errors.Is(cause, factor.Wrong) {
			return factor.UsedUp, nil
		}
	}
	params := map[string]string{"count": strconv.Itoa(left)}
	return cause.WithParams(params).WithFields(fault.Field{Name: "code", Code: cause.Code, Params: params}), nil
}
