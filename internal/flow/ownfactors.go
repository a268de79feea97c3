package flow

import (
	"context"
	"errors"
	"strconv"

	"portico/internal/audit"
	"portico/internal/factor"
	"portico/internal/ids"
	"portico/internal/pages"
	"portico/internal/passkey"
	"portico/internal/session"
)

// FactorsView is the state of an account's second factors for their page.
type FactorsView struct {
	Factors   []factor.Factor
	Left      int  // recovery codes
	Last      bool // removing it means adding another at the next sign-in
	Any       bool // as SecondFactors.Any
	Overtaken bool // the enrolment cannot go on: see Overtaken

	// For an enrolment, at its step.
	Step   Step
	Secret factor.Secret
	URI    string // for a QR code
	Codes  []string
}

// Factors returns the second factors of an account, without their secrets.
func (f *reader) Factors(ctx context.Context, accountID string) (FactorsView, error) {
	return read(ctx, f.store, func(tx Tx) (FactorsView, error) { return f.readFactors(ctx, tx, accountID) })
}

func (f *reader) readFactors(ctx context.Context, tx Tx, accountID string) (v FactorsView, err error) {
	if v.Factors, err = tx.FactorsOf(ctx, accountID); err != nil {
		return v, err
	}
	for i := range v.Factors {
		v.Factors[i].Sealed = nil
	}
	left, err := tx.RecoveryCodesOf(ctx, accountID)
	v.Left = len(left)
	return v, err
}

// Enrolment returns Factors with the state of an enrolment. An enrolment that has
// ended, or that belongs to another browser or account, is left out.
func (f *Owner) Enrolment(ctx context.Context, c Caller, found session.Found, flowID string) (v FactorsView, err error) {
	err = f.store.Read(ctx, func(tx Tx) error {
		if v, err = f.readFactors(ctx, tx, found.User.ID); err != nil {
			return err
		}
		passkeys, err := tx.PasskeysOf(ctx, found.User.ID)
		if err != nil {
			return err
		}
		v.Any, v.Last = len(v.Factors)+f.working(passkeys) > 0, f.last(found, v.Factors, passkeys)
		if flowID == "" {
			return nil
		}
		return f.addEnrolment(ctx, tx, c, found, flowID, &v)
	})
	return v, err
}

// addEnrolment adds the state of an enrolment at its step.
func (f *Owner) addEnrolment(ctx context.Context, tx Tx, c Caller, found session.Found, flowID string, v *FactorsView) error {
	p, d, err := f.find(ctx, tx, c, flowID)
	if err != nil || p.Kind != Enrolment || p.AccountID != found.User.ID {
		return ignore(err, Unknown)
	}
	switch p.Step {
	case Confirm:
		if _, err := f.stands(ctx, tx, p); err != nil {
			v.Overtaken = errors.Is(err, Unknown)
			return ignore(err, Unknown)
		}
		v.Secret = d.Secret
		v.URI = v.Secret.URI(f.settings.Site, d.Address)
	case Codes:
		left, err := tx.RecoveryCodesOf(ctx, found.User.ID)
		if v.Overtaken = err == nil && !factor.OfSet(left, d.Codes); err != nil || v.Overtaken {
			return err
		}
		v.Codes = d.Codes
	default:
		return nil
	}
	v.Step = p.Step
	return nil
}

// MakeCodes replaces the recovery codes by a new set. As any change of a credential,
// it ends the trust in browsers. It returns the page that shows the codes.
//
// Faults: ProofNeeded, factor.Missing without a factor or a passkey, throttle.Limited, hashing.busy.
func (f *Owner) MakeCodes(ctx context.Context, c Caller, found session.Found, returnTo Target) (r Result, err error) {
	if err := f.Fresh(ctx, found); err != nil {
		return Result{}, err // before the hashes
	}
	if err := f.countChoice(ctx, found.User.ID); err != nil {
		return Result{}, err
	}
	codes, hashes, err := f.newCodes(ctx)
	if err != nil {
		return Result{}, err
	}
	value, fresh := browser(c)
	err = f.guarded(ctx, found, func(tx Tx, a cleared) error {
		have, err := f.secondFactors(ctx, tx, a.ID)
		if err != nil {
			return err
		}
		if !have.Any() {
			return factor.Missing
		}
		if err := f.factors.Replace(ctx, tx, a.ID, codes, hashes); err != nil {
			return err
		}
		if err := f.dropTrust(ctx, tx, a.ID); err != nil { // its fingerprint does not cover the codes
			return err
		}
		if err := f.endFlows(ctx, tx, &a); err != nil { // a former code may have been given in one
			return err
		}
		if err := f.note(ctx, tx, c, a.Account, audit.CodesMade, strconv.Itoa(len(codes)), mailCodesMade); err != nil {
			return err
		}
		p, err := f.begin(ctx, tx, enrolment(a.Account, Codes, returnTo), data{Codes: codes}, value)
		r = Result{Next: pages.Flow(pages.Factors, p.ID), FlowID: p.ID, BrowserCookie: fresh}
		return err
	})
	return r, err
}

// SavedCodes ends the step that shows recovery codes. They are never shown again.
// It succeeds when it was done before.
func (f *Owner) SavedCodes(ctx context.Context, c Caller, found session.Found, flowID string) (r Result, err error) {
	err = f.store.Write(ctx, func(tx Tx) error {
		p, d, err := f.enrolling(ctx, tx, c, found, flowID, Codes)
		if err != nil {
			return err
		}
		if _, err := f.renew(ctx, tx, p, data{}); err != nil {
			return err
		}
		r.Next, r.TwoStep = f.afterEnrolment(p, Done), d.Address != ""
		return f.advance(ctx, tx, p, Done)
	})
	if errors.Is(err, Moved) || errors.Is(err, Unknown) {
		return Result{Next: pages.Factors}, nil
	}
	return r, err
}

// RemoveFactor removes a factor of the signed-in user. The recovery codes go with
// the last one, unless a passkey remains. It ends the other sessions, which the factor may have opened.
//
// Faults: AdminLast, ProofNeeded, factor.Missing.
func (f *Owner) RemoveFactor(ctx context.Context, c Caller, found session.Found, id string) (r Result, err error) {
	if !ids.Valid(id) {
		return Result{}, factor.Missing
	}
	err = f.guarded(ctx, found, func(tx Tx, a cleared) error {
		ok, err := tx.DeleteFactor(ctx, a.ID, id)
		switch {
		case err != nil:
			return err
		case !ok:
			return factor.Missing
		}
		if err := f.keepsAdmin(ctx, tx, a); err != nil {
			return err
		}
		if err := f.afterRemoval(ctx, tx, a, found.Session.ID, session.Changed); err != nil {
			return err
		}
		apps, err := tx.FactorsOf(ctx, a.ID)
		if err != nil {
			return err
		}
		r = Result{Next: pages.Factors, TwoStep: len(apps) == 0 && !f.requires(a.Roles)}
		return f.note(ctx, tx, c, a.Account, audit.FactorRemoved, string(factor.TOTP), mailFactorRemoved)
	})
	return r, err
}

// keepsAdmin returns AdminLast if the last admin has just removed the last factor.
func (f *Owner) keepsAdmin(ctx context.Context, tx Tx, a cleared) error {
	have, err := f.secondFactors(ctx, tx, a.ID)
	if err != nil || have.Any() {
		return err
	}
	return f.notLast(ctx, tx, a.Account)
}

// afterRemoval does what belongs to the removal of an app or a passkey. The recovery codes
// go with the last one. The trust in browsers and the grace end. So do the flows and the
// sessions that it may have begun, except the one to keep.
func (f *core) afterRemoval(ctx context.Context, tx Tx, a cleared, keep string, why session.Reason) error {
	if err := f.dropIdleCodes(ctx, tx, a); err != nil {
		return err
	}
	if err := f.dropTrust(ctx, tx, a.ID); err != nil {
		return err
	}
	if err := f.endGrace(ctx, tx, a); err != nil {
		return err
	}
	if err := f.endFlows(ctx, tx, &a); err != nil {
		return err
	}
	return f.endAll(ctx, tx, a.ID, keep, why)
}

// last reports whether the user needs a second factor and has a single one. Removing it
// means adding another at the next sign-in.
func (f *Owner) last(found session.Found, apps []factor.Factor, passkeys []passkey.Passkey) bool {
	return f.requires(found.User.Roles) && len(apps)+f.working(passkeys) == 1
}

// working counts the passkeys that work at this site.
func (f *core) working(passkeys []passkey.Passkey) (count int) {
	for _, p := range passkeys {
		if f.passkeyWorks(p) {
			count++
		}
	}
	return count
}
