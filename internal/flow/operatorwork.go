package flow

import (
	"cmp"
	"context"
	"slices"

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

// eraseAtOnce bounds one transaction of EraseDue, so that other writes wait briefly.
const eraseAtOnce = 10

// EraseDue erases accounts that were closed account.Grace ago, by their owners or by ScheduleErasure, and
// reports whether more may be due.
func (f *Operator) EraseDue(ctx context.Context, tx Tx) (more bool, err error) {
	due, err := tx.DueDepartures(ctx, f.clock.Now(), eraseAtOnce)
	if err != nil {
		return false, err
	}
	for _, d := range due {
		// The owner may take the account back at this moment. Reading the account waits
		// for that transaction, and the departure is then gone.
		a, _, err := tx.AccountByID(ctx, d.AccountID)
		if err != nil {
			return false, err
		}
		if _, ok, err := tx.DepartureOf(ctx, d.AccountID); err != nil {
			return false, err
		} else if !ok {
			continue
		}
		erased := audit.Fact{Name: audit.AccountDeleted, AccountID: d.AccountID, Actor: actorSelf, Detail: "left"}
		if a.State == account.DisabledByOperator { // by ScheduleErasure, or after its owner had closed it
			left, err := tx.FactsOf(ctx, d.AccountID, "", 1, audit.AccountLeft)
			if err != nil {
				return false, err
			}
			if len(left) == 0 || left[0].At.Before(d.LeftAt) {
				erased.Actor, erased.Detail = actorOperator, ""
			}
		}
		if err := f.erase(ctx, tx, erased); err != nil {
			return false, err
		}
	}
	return len(due) == eraseAtOnce, nil
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
