package flow

import (
	"context"

	"portico/internal/account"
	"portico/internal/audit"
	"portico/internal/pages"
	"portico/internal/throttle"
)

// awaitApproval ends the sign-up of an account that waits. Its flow is for the page that says so.
func (f *Flows) awaitApproval(ctx context.Context, tx Tx, c Caller, a account.Account, method string) (Result, error) {
	if err := f.post(ctx, tx, c, email{template: mailWaits, owner: &a}); err != nil {
		return Result{}, err
	}
	r, err := f.sayWaits(ctx, tx, c, a)
	r.registered = method
	return r, err
}

// sayWaits leads to the page that says that an account waits, whose owner has given a proof.
func (f *Flows) sayWaits(ctx context.Context, tx Tx, c Caller, a account.Account) (Result, error) {
	value, fresh := browser(c)
	p, err := f.begin(ctx, tx, Pending{Kind: SignUp, Step: Done, AccountID: a.ID, AddressKey: a.Address.Key}, data{Address: a.Address.Mail}, value)
	return Result{Next: pages.Flow(pages.VerifyCode, p.ID), FlowID: p.ID, BrowserCookie: fresh}, err
}

// awaits reports whether a flow has made an account that waits for an approval.
func (f *Flows) awaits(ctx context.Context, tx Tx, p Pending) (bool, error) {
	if p.Kind != SignUp || p.Step != Done {
		return false, nil
	}
	a, ok, err := tx.AccountByID(ctx, p.AccountID)
	return ok && a.State == account.Waiting, err
}

// mostApplicants bounds a transaction. The next email tells of the rest.
const mostApplicants = 10_000

// TellOfApplicants emails the admins whose addresses are proven how many accounts have begun to wait for
// an approval since the last such email, at most once an hour.
func (f *Operator) TellOfApplicants(ctx context.Context, tx Tx) error {
	hourly := throttle.Attempt{Limit: appliedHour}
	if left, err := f.limiter.Left(ctx, tx, hourly); err != nil || left == 0 {
		return err
	}
	n, err := tx.TakeApplicants(ctx, mostApplicants)
	if err != nil || n == 0 {
		return err
	}
	if _, err := f.limiter.Take(ctx, tx, hourly); err != nil {
		return err
	}
	_, err = f.anyAdmin(ctx, tx, "", func(a account.Account) (bool, error) {
		unproven, err := tx.IsUnproven(ctx, a.ID)
		if err != nil || unproven || !a.Open(f.clock.Now()) {
			return false, err
		}
		return false, f.post(ctx, tx, ByOperator.caller, email{template: mailApplied, owner: &a, waiting: n})
	})
	return err
}

// ApproveUser opens an account that waits for an approval, and tells its user. SetUserState does the
// same with such an account.
//
// Faults: NotWaiting, account.Missing, and as acts.
func (f *Operator) ApproveUser(ctx context.Context, by Actor, id string) error {
	return f.change(ctx, by, id, func(tx Tx, a cleared) error {
		if a.State != account.Waiting {
			return NotWaiting
		}
		return f.setState(ctx, tx, by, a, account.Active, "")
	})
}

// RefuseUser erases an account that waits for an approval, and tells its user.
//
// Faults: NotWaiting, account.Missing, and as acts.
func (f *Operator) RefuseUser(ctx context.Context, by Actor, id string) error {
	return f.removing(ctx, by, id, func(tx Tx, a cleared) error {
		if a.State != account.Waiting {
			return NotWaiting
		}
		if err := f.post(ctx, tx, by.caller, email{template: mailNotToBe, owner: &a.Account}); err != nil {
			return err
		}
		return f.erase(ctx, tx, by.fact(audit.AccountDeleted, id, "refused"))
	})
}
