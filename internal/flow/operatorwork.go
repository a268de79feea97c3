package flow

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"portico/internal/account"
	"portico/internal/audit"
	"portico/internal/session"
)

// FollowKeys reads the signing keys and rotates them when a rotation is due. The
// application calls it at its start and then every few seconds, so that it soon
// stops using a key that another process has revoked.
func (f *Operator) FollowKeys(ctx context.Context) error {
	renew, err := f.loadKeys(ctx)
	if err != nil || !renew {
		return err
	}
	err = f.store.Write(ctx, func(tx Tx) error {
		made, err := f.keys.Renew(ctx, tx)
		return cmp.Or(err, f.recordKeys(ctx, tx, ByOperator, made))
	})
	if err != nil {
		return err
	}
	_, err = f.loadKeys(ctx)
	return err
}

func (f *Operator) loadKeys(ctx context.Context) (bool, error) {
	return read(ctx, f.store, func(tx Tx) (bool, error) { return f.keys.Load(ctx, tx) })
}

// EraseDue erases an account that was closed account.Grace ago, by its owner or by ScheduleErasure.
func (f *Operator) EraseDue(ctx context.Context, tx Tx, id string) error {
	// The owner may take the account back at this moment. Reading the account waits
	// for that transaction, and the departure is then gone.
	a, _, err := tx.AccountByID(ctx, id)
	if err != nil {
		return err
	}
	d, leaves, err := tx.DepartureOf(ctx, id)
	if err != nil || !leaves || d.EraseAt.After(f.clock.Now()) {
		return err
	}
	erased := audit.Fact{Name: audit.AccountDeleted, AccountID: id, Actor: actorSelf, Detail: "left"}
	if a.State == account.DisabledByOperator { // by ScheduleErasure, or after its owner had closed it
		left, err := tx.FactsOf(ctx, id, "", 1, audit.AccountLeft)
		if err != nil {
			return err
		}
		if len(left) == 0 || left[0].At.Before(d.LeftAt) {
			erased.Actor, erased.Detail = actorOperator, ""
			disabled, err := tx.FactsOf(ctx, id, "", 2, audit.AccountDisabled) // by ScheduleErasure, and perhaps by SetUserState since
			if err != nil {
				return err
			}
			for _, by := range slices.Backward(disabled) {
				if strings.HasPrefix(by.Detail, detailErased) {
					erased.Actor = by.Actor
				}
			}
		}
	}
	return f.erase(ctx, tx, erased)
}

// erase deletes an account with everything that names it, except for what
// account.Store.DeleteAccount leaves.
func (f *Operator) erase(ctx context.Context, tx Tx, erased audit.Fact) error {
	id := erased.AccountID
	if err := f.endAll(ctx, tx, id, "", session.Deleted); err != nil {
		return err
	}
	a, _, err := tx.AccountByID(ctx, id)
	if err == nil && slices.Contains(a.Roles, RoleAdmin) {
		err = f.resign(ctx, tx, id, erased, stoppedAccount)
	}
	if err != nil {
		return err
	}
	if ok, err := tx.DeleteAccount(ctx, id); err != nil || !ok {
		return cmp.Or[error](err, account.Missing)
	}
	return f.record.Add(ctx, tx, erased)
}

// EndAged ends what OpenID clients have obtained from sessions that have ended by age or
// idleness, and tells these clients. It reports whether more sessions may be due.
func (f *Operator) EndAged(ctx context.Context, tx Tx) (more bool, err error) {
	list, more, err := f.grants.EndAged(ctx, tx)
	for _, aged := range list {
		if err == nil {
			err = f.tell(ctx, tx, aged.AccountID, aged.Told)
		}
	}
	return more, err
}
