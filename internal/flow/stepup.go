package flow

import (
	"context"
	"slices"

	"portico/internal/audit"
	"portico/internal/fault"
	"portico/internal/session"
)

// StepUp checks a second factor of a signed-in user, and continues with a session
// that counts it. The browser gets a new session token, and the old one ends.
//
// Faults: session.Required; as GiveFactor.
func (f *Flows) StepUp(ctx context.Context, c Caller, returnTo Target, in FactorInput) (r Result, err error) {
	ctx, w := f.watch(ctx, "step-up", SecondFactor)
	defer w.end(&r, &err)
	found, err := f.Session(ctx, c.Session)
	if err != nil {
		return Result{}, err
	}
	typed, bad := parseFactor(in)
	if bad != nil {
		return Result{}, fault.InvalidFields(*bad)
	}
	t, err := f.prepare(ctx, c, trial{
		flowID: found.Session.ID, factor: typed,
		of: func(tx Tx) (judged, error) { return f.owned(ctx, tx, found) },
	})
	if err != nil {
		return Result{}, err
	}
	var refused *fault.Error
	err = f.own(ctx, found, func(tx Tx, a judged) error {
		method := ""
		if method, refused, err = f.try(ctx, tx, c, a.Account, t); err != nil || refused != nil {
			return err
		}
		if r, err = f.proveAgain(ctx, tx, c, a, found, method, returnTo); err == nil {
			r.Next, err = f.afterFactor(ctx, tx, a.ID, method, r.Next)
		}
		return err
	})
	switch {
	case err != nil:
		return Result{}, err
	case refused != nil:
		return Result{wrong: wrongFactor}, refused
	}
	return f.settled(r, found.User.ID, nil)
}

// proveAgain is strengthen for a proof that was given for itself, and records it.
func (f *core) proveAgain(ctx context.Context, tx Tx, c Caller, a judged, found session.Found, method string, returnTo Target) (Result, error) {
	if err := f.record.Add(ctx, tx, fact(c, audit.ProofGiven, a.ID, method)); err != nil {
		return Result{}, err
	}
	return f.strengthen(ctx, tx, c, a, found, method, returnTo)
}

// strengthen replaces the session of the caller by one that counts the second
// factor.
func (f *core) strengthen(ctx context.Context, tx Tx, c Caller, a judged, found session.Found, method string, returnTo Target) (Result, error) {
	methods := slices.Clone(found.Session.Methods)
	if !slices.Contains(methods, method) {
		methods = append(methods, method)
	}
	now := f.clock.Now()
	return f.admitted(ctx, tx, c, entry{account: a, returnTo: returnTo, methods: methods, at: now, strongAt: now, live: true})
}
