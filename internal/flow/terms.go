package flow

import (
	"context"
	"errors"
	"time"

	"portico/internal/account"
	"portico/internal/audit"
	"portico/internal/fault"
	"portico/internal/pages"
)

// checkTerms checks the version of the terms that a form accepts: the one that its
// page showed. Only the current version counts; another one is TermsChanged.
func (f *Flows) checkTerms(accepted string) (*fault.Field, error) {
	switch {
	case f.terms == "" || accepted == f.terms:
		return nil, nil
	case accepted == "":
		return &fault.Field{Name: "terms", Code: CodeTermsRequired}, nil
	}
	return nil, TermsChanged
}

// acceptedNow returns an acceptance of the current terms at this time.
func (f *Flows) acceptedNow() account.Terms {
	if f.terms == "" {
		return account.Terms{}
	}
	return account.Terms{Version: f.terms, AcceptedAt: f.clock.Now()}
}

// lacks reports whether the current terms are not the ones that were accepted.
func (f *core) lacks(accepted account.Terms) bool {
	return f.terms != "" && accepted.Version != f.terms
}

// askTerms begins the step that asks for the terms. Without an account in p, it is
// the last step of a sign-up.
func (f *core) askTerms(ctx context.Context, tx Tx, c Caller, p Pending, d data) (Result, error) {
	value, fresh := browser(c)
	p.Kind, p.Step = Acceptance, Accept
	p, err := f.begin(ctx, tx, p, d, value)
	return Result{Next: pages.Flow(pages.Terms, p.ID), FlowID: p.ID, BrowserCookie: fresh}, err
}

// admitNew makes the account of a sign-up whose mailbox is proven. If the terms are
// not accepted yet, it asks for them first. Proven is as for register.
func (f *Flows) admitNew(ctx context.Context, tx Tx, c Caller, p Pending, d data, proven time.Time) (Result, error) {
	if !f.lacks(d.Terms) {
		return f.register(ctx, tx, c, p, d, proven)
	}
	d.ProvenAt = proven
	return f.askTerms(ctx, tx, c, Pending{AddressKey: p.AddressKey, ReturnTo: p.ReturnTo}, d)
}

// AcceptTerms ends the step that asks for the terms: with the session that waits
// for them, or with a new account. Accepted is the version that the page showed.
//
// Faults: the field terms, TermsChanged; Unknown, Overtaken, Moved; SignUpClosed, SignUpTaken.
func (f *Flows) AcceptTerms(ctx context.Context, c Caller, flowID, accepted string) (r Result, err error) {
	ctx, w := f.watch(ctx, "terms", Acceptance)
	defer w.end(&r, &err)
	p, _, err := f.look(ctx, c, flowID)
	switch {
	case err != nil:
		return Result{}, err
	case p.Kind != Acceptance:
		return Result{}, Unknown
	case p.Step == Done:
		return f.againFactor(ctx, c, p)
	}
	switch bad, err := f.checkTerms(accepted); {
	case err != nil:
		return Result{}, err
	case bad != nil:
		return Result{}, fault.InvalidFields(*bad)
	}
	err = f.store.Write(ctx, func(tx Tx) error {
		p, d, err := f.at(ctx, tx, c, p.ID, Accept)
		if err != nil {
			return err
		}
		if err := f.advance(ctx, tx, p, Done); err != nil {
			return err
		}
		if p.AccountID == "" {
			d.Terms = f.acceptedNow()
			r, err = f.register(ctx, tx, c, p, d, d.ProvenAt)
			return err
		}
		owner, err := f.waits(ctx, tx, p, d)
		if err != nil {
			return err
		}
		if err := f.accept(ctx, tx, c, &owner); err != nil {
			return err
		}
		r, err = f.goOn(ctx, tx, c, owner, p, d)
		return err
	})
	if err != nil {
		return Result{}, err
	}
	return f.settled(r, p.AccountID), nil
}

// accept stores that the owner has accepted the current terms.
func (f *Flows) accept(ctx context.Context, tx Tx, c Caller, owner *judged) error {
	if !f.lacks(owner.Terms) {
		return nil // accepted in another tab, or not asked for any more
	}
	owner.Terms = f.acceptedNow()
	if _, err := tx.UpdateTerms(ctx, owner.ID, owner.Terms); err != nil {
		return err
	}
	return f.record.Add(ctx, tx, fact(c, audit.TermsAccepted, owner.ID, owner.Terms.Version))
}

// RefuseTerms ends the step that asks for the terms without a session. The owner of
// an account is signed out: the session that the browser had before ends too. It
// succeeds when there is no such step.
func (f *Flows) RefuseTerms(ctx context.Context, c Caller, flowID string) (r Result, err error) {
	err = f.store.Write(ctx, func(tx Tx) error {
		p, _, err := f.at(ctx, tx, c, flowID, Accept)
		if err != nil {
			return err
		}
		r.Next = pages.ReturnTo(pages.SignIn, f.target(p).String())
		if p.AccountID != "" {
			r.Next = pages.SignedOut
		}
		return f.advance(ctx, tx, p, Done)
	})
	switch {
	case errors.Is(err, Unknown), errors.Is(err, Moved):
		return Result{Next: pages.SignIn}, nil
	case err != nil:
		return Result{}, err
	case r.Next == pages.SignedOut:
		return r, f.SignOut(ctx, c)
	}
	return r, nil
}
