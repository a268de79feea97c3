package flow

import (
	"context"
	"slices"
	"time"

	"portico/internal/clock"
	"portico/internal/code"
	"portico/internal/factor"
	"portico/internal/fault"
	"portico/internal/pages"
)

// Require says which users need a second factor.
type Require struct {
	All   bool
	Roles []string
	Grace time.Duration // how long a user who has none may put it off
}

// Requires reports whether a user with these roles must have a second factor.
func (f *Owner) Requires(roles []string) bool { return f.requires(roles) }

func (f *core) requires(roles []string) bool {
	return f.settings.Require.All || slices.ContainsFunc(roles, func(role string) bool { return slices.Contains(f.settings.Require.Roles, role) })
}

// demands reports whether the account of a sign-in must have a second factor, with the roles that the sign-in gives.
func (f *core) demands(e entry) bool { return f.requires(e.account.Roles) || f.requires(e.gains) }

// unprotected reports whether a sign-in must wait for a second factor that the
// account needs and does not have. During an alarm it does not: nobody can add one then.
func (f *core) unprotected(ctx context.Context, tx Tx, e entry) (bool, error) {
	if e.later || !e.strongAt.IsZero() || !f.demands(e) || f.alarmed(e.account.Account) {
		return false, nil
	}
	if e.secondFactors != nil {
		return !e.secondFactors.Any(), nil
	}
	have, err := f.secondFactors(ctx, tx, e.account.ID)
	return !have.Any(), err
}

// beginGrace stores when an account was first told that it needs a second factor, anew if that was by a clock that has been
// set back.
func (f *core) beginGrace(ctx context.Context, tx Tx, a judged) error {
	if !a.FactorToldAt.IsZero() && !clock.Ahead(a.FactorToldAt, f.clock.Now()) {
		return nil
	}
	return tx.UpdateFactorTold(ctx, a.ID, f.clock.Now())
}

// protecting returns the flow of a second factor that its owner needs.
//
// Faults: Unknown, Overtaken, Moved.
func (f *Flows) protecting(ctx context.Context, tx Tx, c Caller, id string) (p Pending, d data, owner cleared, err error) {
	if p, d, err = f.at(ctx, tx, c, id, Protect); err != nil {
		return p, d, owner, err
	}
	owner, err = f.bare(ctx, tx, p, d)
	return p, d, owner, err
}

// mayWait reports until when the owner may put the second factor off, with the roles that the sign-in gives. The zero
// time means without end: the account does not need one anymore.
func (f *Flows) mayWait(ctx context.Context, tx Tx, c Caller, e entry) (until time.Time, ok bool, err error) {
	if _, err := f.foresees(ctx, tx, c, &e); err != nil || !f.demands(e) {
		return time.Time{}, true, err
	}
	until = e.account.FactorToldAt.Add(f.settings.Require.Grace)
	return until, clock.Valid(until, f.settings.Require.Grace, f.clock.Now()), nil
}

// viewProtection fills in what the page shows.
func (f *Flows) viewProtection(ctx context.Context, tx Tx, c Caller, e entry, d data, v *View) (err error) {
	v.Secret = d.Secret
	v.URI = v.Secret.URI(f.settings.Site, d.Address)
	v.Until, v.Later, err = f.mayWait(ctx, tx, c, e)
	return err
}

// ProtectByApp adds an authenticator app to the account of a sign-in that waits for
// it, if the app shows the right code. The session follows, and the page with the
// recovery codes.
//
// Faults: the field code, with factor.Wrong; throttle.Limited, hashing.busy; as protecting.
func (f *Flows) ProtectByApp(ctx context.Context, c Caller, flowID, typed string) (r Result, err error) {
	ctx, w := f.watch(ctx, "protect", Protection)
	defer w.end(&r, &err)
	digits, bad := code.Parse(typed, "code")
	if bad != nil {
		return Result{}, fault.InvalidFields(*bad)
	}
	p, r, done, err := f.unanswered(ctx, c, flowID, Protection)
	if err != nil || done {
		r.Next = pages.ReturnTo(pages.Factors, r.Next) // which offers new codes
		return r, err
	}
	err = f.store.Read(ctx, func(tx Tx) error {
		_, d, _, err := f.protecting(ctx, tx, c, flowID)
		if err == nil && !f.factors.Right(d.Secret, digits) {
			err = factor.Wrong
		}
		return err
	})
	if err != nil {
		return Result{}, wrongEnrolment(err)
	}
	if err := f.countChoice(ctx, flowID); err != nil {
		return Result{}, err
	}
	codes, hashes, err := f.newCodes(ctx)
	if err != nil {
		return Result{}, err
	}
	err = f.store.Write(ctx, func(tx Tx) error {
		p, d, owner, err := f.protecting(ctx, tx, c, flowID)
		if err != nil {
			return err
		}
		if err := f.addApp(ctx, tx, c, &owner, newApp{secret: d.Secret, digits: digits}); err != nil {
			return err
		}
		if r, err = f.protected(ctx, tx, c, owner, p, d, string(factor.TOTP)); err != nil || r.Session == nil {
			return err // new terms come first: the page of the factors offers codes later
		}
		return f.showCodes(ctx, tx, c, owner, codes, hashes, &r)
	})
	return f.settled(r, p.AccountID, wrongEnrolment(err))
}

// showCodes stores recovery codes, and leads to the page that shows them.
func (f *Flows) showCodes(ctx context.Context, tx Tx, c Caller, owner cleared, codes, hashes []string, r *Result) error {
	if err := f.factors.Replace(ctx, tx, owner.ID, codes, hashes); err != nil {
		return err
	}
	shown, err := f.begin(ctx, tx, enrolment(owner.Account, Codes, f.settings.Targets.Check(r.Next)), data{Codes: codes}, c.BrowserCookie)
	r.Next, r.FlowID = pages.Flow(pages.Factors, shown.ID), shown.ID
	return err
}

// protected ends the step with the session that has waited for it. The session
// counts the new factor.
func (f *Flows) protected(ctx context.Context, tx Tx, c Caller, owner cleared, p Pending, d data, method string) (Result, error) {
	if err := f.advance(ctx, tx, p, Done); err != nil {
		return Result{}, err
	}
	e := f.strengthened(owner.judged, p, d, method)
	e.makesPasskeys = false // one page of this kind is enough
	return f.admitted(ctx, tx, c, e)
}

// ProtectLater puts the second factor off until the next sign-in, while the grace
// lasts.
//
// Faults: as protecting; Moved also after the grace.
func (f *Flows) ProtectLater(ctx context.Context, c Caller, flowID string) (r Result, err error) {
	ctx, w := f.watch(ctx, "protect-later", Protection)
	defer w.end(&r, &err)
	return f.answer(ctx, c, flowID, Protection, func(tx Tx, c Caller, p Pending, d data) (Result, error) {
		owner, err := f.bare(ctx, tx, p, d)
		if err != nil {
			return Result{}, err
		}
		e := f.entryOf(owner.judged, p, d)
		_, ok, err := f.mayWait(ctx, tx, c, e)
		if err == nil && !ok {
			err = Moved
		}
		if err != nil {
			return Result{}, err
		}
		e.later, e.makesPasskeys = true, false // one page of this kind is enough
		return f.admitted(ctx, tx, c, e)
	})
}

// endGrace makes the owner add a second factor at the next sign-in, after the last one
// was removed from an account that needs one.
func (f *core) endGrace(ctx context.Context, tx Tx, a cleared) error {
	if !f.requires(a.Roles) {
		return nil
	}
	have, err := f.secondFactors(ctx, tx, a.ID)
	if err != nil || have.Any() {
		return err
	}
	return tx.UpdateFactorTold(ctx, a.ID, f.clock.Now().Add(-f.settings.Require.Grace))
}
