package flow

import (
	"context"
	"time"

	"portico/internal/account"
	"portico/internal/audit"
	"portico/internal/fault"
)

// checkTerms checks the version of the terms that a form accepts: the one that its
// page showed. Only the current version counts; another one is TermsChanged.
func (f *Flows) checkTerms(accepted string) (*fault.Field, error) {
	switch {
	case f.settings.Terms == "" || accepted == f.settings.Terms:
		return nil, nil
	case accepted == "":
		return &fault.Field{Name: "terms", Code: CodeTermsRequired}, nil
	}
	return nil, TermsChanged
}

// acceptedNow returns an acceptance of the current terms at this time.
func (f *Flows) acceptedNow() account.Terms {
	if f.settings.Terms == "" {
		return account.Terms{}
	}
	return account.Terms{Version: f.settings.Terms, AcceptedAt: f.clock.Now()}
}

// lacks reports whether the current terms are not the ones that were accepted.
func (f *core) lacks(accepted account.Terms) bool {
	return f.settings.Terms != "" && accepted.Version != f.settings.Terms
}

// admitNew makes the account of a sign-up whose mailbox is proven. If the terms are
// not accepted yet, it asks for them first. Proven is as for register.
func (f *Flows) admitNew(ctx context.Context, tx Tx, c Caller, p Pending, d data, proven time.Time) (Result, error) {
	if !f.lacks(d.Terms) {
		return f.register(ctx, tx, c, p, d, proven)
	}
	d.ProvenAt = proven
	return f.ask(ctx, tx, c, Pending{Kind: Acceptance, Step: Accept, AddressKey: p.AddressKey, ReturnTo: p.ReturnTo}, d)
}

// AcceptTerms ends the step that asks for the terms: with the session that waits
// for them, or with a new account. Accepted is the version that the page showed.
//
// Faults: the field terms, TermsChanged; Unknown, Overtaken, Moved; SignUpClosed, SignUpDomain,
// SignUpTaken.
func (f *Flows) AcceptTerms(ctx context.Context, c Caller, flowID, accepted string) (r Result, err error) {
	ctx, w := f.watch(ctx, "terms", Acceptance)
	defer w.end(&r, &err)
	return f.answer(ctx, c, flowID, Acceptance, func(tx Tx, c Caller, p Pending, d data) (Result, error) {
		switch bad, err := f.checkTerms(accepted); {
		case err != nil:
			return Result{}, err
		case bad != nil:
			return Result{}, fault.InvalidFields(*bad)
		}
		if p.AccountID == "" {
			d.Terms = f.acceptedNow()
			return f.register(ctx, tx, c, p, d, d.ProvenAt)
		}
		owner, err := f.waits(ctx, tx, p, d)
		if err != nil {
			return Result{}, err
		}
		if err := f.accept(ctx, tx, c, &owner); err != nil {
			return Result{}, err
		}
		return f.resume(ctx, tx, c, owner, p, d)
	})
}

// accept stores that the owner has accepted the current terms.
func (f *Flows) accept(ctx context.Context, tx Tx, c Caller, owner *judged) error {
	if !f.lacks(owner.Terms) {
		return nil // accepted in another tab, or not asked for anymore
	}
	owner.Terms = f.acceptedNow()
	if err := tx.UpdateTerms(ctx, owner.ID, owner.Terms); err != nil {
		return err
	}
	return f.record.Add(ctx, tx, fact(c, audit.TermsAccepted, owner.ID, owner.Terms.Version))
}
