package flow

import (
	"context"
	"errors"

	"portico/internal/account"
	"portico/internal/audit"
	"portico/internal/code"
	"portico/internal/factor"
	"portico/internal/fault"
	"portico/internal/pages"
	"portico/internal/session"
)

// BeginFactor begins to add an authenticator app. Its secret is in the flow and
// counts for nothing until ConfirmFactor.
//
// Faults: ProofNeeded, factor.Full.
func (f *Owner) BeginFactor(ctx context.Context, c Caller, found session.Found, returnTo Target) (r Result, err error) {
	ctx, w := f.watch(ctx, "enrol", Enrolment)
	defer w.end(&r, &err)
	value, fresh := browser(c)
	err = f.guarded(ctx, found, func(tx Tx, a cleared) error {
		have, err := tx.FactorsOf(ctx, a.ID)
		if err != nil {
			return err
		}
		if len(have) >= factor.Most {
			return factor.Full
		}
		p, err := f.begin(ctx, tx, enrolment(a.Account, Confirm, returnTo), data{Address: a.Address.Mail, Secret: factor.NewSecret()}, value)
		r = Result{Next: pages.Flow(pages.Factors, p.ID), FlowID: p.ID, BrowserCookie: fresh}
		return err
	})
	return r, err
}

func enrolment(a account.Account, step Step, returnTo Target) Pending {
	return Pending{
		Kind: Enrolment, Step: step, AccountID: a.ID, Version: a.FlowVersion(), AddressKey: a.Address.Key, ReturnTo: returnTo.String(),
	}
}

// enrolling returns the flow of an enrolment of the signed-in user, at a step.
func (f *Owner) enrolling(ctx context.Context, tx Tx, c Caller, found session.Found, id string, step Step) (p Pending, d data, err error) {
	p, d, err = f.at(ctx, tx, c, id, step)
	switch {
	case errors.Is(err, Moved) && p.Kind == Enrolment:
		return p, d, Moved
	case err != nil:
		return Pending{}, data{}, err
	case p.AccountID != found.User.ID:
		return Pending{}, data{}, Unknown
	}
	return p, d, nil
}

// ConfirmFactor adds the authenticator app of an enrolment, if it shows the right
// code. The session counts the factor from then on. An account without recovery
// codes gets a set.
//
// Faults: the field code, with factor.Wrong; factor.Full, session.Required,
// Unknown, Moved, throttle.Limited, hashing.busy; as finishes.
func (f *Owner) ConfirmFactor(ctx context.Context, c Caller, found session.Found, flowID, typed string) (r Result, err error) {
	ctx, w := f.watch(ctx, "enrol-confirm", Enrolment)
	defer w.end(&r, &err)
	digits, bad := code.Parse(typed, "code")
	if bad != nil {
		return Result{}, fault.InvalidFields(*bad)
	}
	codes, hashes, err := f.codesFor(ctx, c, found, flowID, digits)
	if err != nil {
		return Result{}, wrongEnrolment(err)
	}
	err = f.own(ctx, found, func(tx Tx, owner judged) error {
		p, d, err := f.enrolling(ctx, tx, c, found, flowID, Confirm)
		if err != nil {
			return err
		}
		a, err := f.finishes(ctx, tx, found, owner, p)
		if err != nil {
			return err
		}
		if err := f.addApp(ctx, tx, c, &a, newApp{d.Secret, digits, codes, hashes}); err != nil {
			return err
		}
		next := Done
		if len(codes) > 0 {
			next = Codes
		}
		// The secret is never shown again. The address says that the codes came with an app.
		if _, err := f.renew(ctx, tx, p, data{Address: d.Address, Codes: codes}); err != nil {
			return err
		}
		if err := f.advance(ctx, tx, p, next); err != nil {
			return err
		}
		if r, err = f.strengthen(ctx, tx, c, a.judged, found, string(factor.TOTP), f.target(p)); err != nil {
			return err
		}
		r.FlowID = p.ID
		r.Next = f.afterEnrolment(p, next)
		return nil
	})
	return f.settled(r, found.User.ID, wrongEnrolment(err))
}

// newApp is an authenticator app that has shown the right code, with new recovery codes for
// an account that has none.
type newApp struct {
	secret        factor.Secret
	digits        string
	codes, hashes []string
}

// addApp adds an authenticator app, and tells the owner.
func (f *core) addApp(ctx context.Context, tx Tx, c Caller, a *cleared, n newApp) error {
	if _, err := f.factors.Add(ctx, tx, a.ID, n.secret, n.digits); err != nil {
		return err
	}
	if len(n.codes) > 0 {
		if err := f.factors.Replace(ctx, tx, a.ID, n.codes, n.hashes); err != nil {
			return err
		}
	}
	if err := f.endFlows(ctx, tx, a); err != nil {
		return err
	}
	return f.note(ctx, tx, c, a.Account, audit.FactorAdded, string(factor.TOTP), mailFactorAdded)
}

// codesFor returns recovery codes for an account that has none, if the code of the
// new app is right. They are hashed here, outside any transaction.
func (f *Owner) codesFor(ctx context.Context, c Caller, found session.Found, flowID, digits string) (codes, hashes []string, err error) {
	have := 0
	err = f.store.Read(ctx, func(tx Tx) error {
		p, d, err := f.enrolling(ctx, tx, c, found, flowID, Confirm)
		if err == nil {
			_, err = f.stands(ctx, tx, p)
		}
		if err != nil {
			return err
		}
		if !f.factors.Right(d.Secret, digits) {
			return factor.Wrong
		}
		left, err := tx.RecoveryCodesOf(ctx, found.User.ID)
		have = len(left)
		return err
	})
	if err == nil && have == 0 {
		err = f.countChoice(ctx, found.User.ID)
	}
	if err != nil || have > 0 {
		return nil, nil, err
	}
	return f.newCodes(ctx)
}

// newCodes makes and hashes a set of recovery codes.
func (f *core) newCodes(ctx context.Context) (codes, hashes []string, err error) {
	codes = factor.NewCodes()
	for _, text := range codes {
		parsed, _ := factor.ParseCode(text)
		hash, err := f.passwords.Hash(ctx, parsed)
		if err != nil {
			return nil, nil, err
		}
		hashes = append(hashes, hash)
	}
	return codes, hashes, nil
}

func wrongEnrolment(err error) error {
	if errors.Is(err, factor.Wrong) {
		return fault.InvalidFields(fault.Field{Name: "code", Code: factor.CodeNewWrong})
	}
	return err
}

// afterEnrolment returns the page after a step of an enrolment: the recovery codes,
// then the return target.
func (f *Owner) afterEnrolment(p Pending, next Step) string {
	target := f.target(p)
	switch {
	case next != Done:
		return pages.Flow(pages.Factors, p.ID)
	case target == (Target{}):
		return pages.Factors
	}
	return f.settings.Targets.Or(target)
}

// note records what the owner did, and tells the owner by the template.
func (f *core) note(ctx context.Context, tx Tx, c Caller, a account.Account, name audit.Name, detail, template string) error {
	if err := f.record.Add(ctx, tx, fact(c, name, a.ID, detail)); err != nil {
		return err
	}
	return f.post(ctx, tx, c, email{template: template, owner: &a})
}
