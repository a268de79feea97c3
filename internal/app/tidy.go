package app

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"portico/internal/clock"
	"portico/internal/cluster"
	"portico/internal/flow"
	"portico/internal/session"
	"portico/internal/store"
)

const (
	tidyEvery = time.Minute
	sealEvery = 10 * time.Second
	jobsEvery = time.Second
)

// startBackground starts the work that one of the processes that share a database does for
// all, the holder of the lease: it deletes expired data, works on jobs, sends emails to
// imported people, and seals audit records.
func (a *App) startBackground(ctx context.Context, work *sync.WaitGroup, drift *clock.Drift) {
	a.repeat(ctx, work, tidyEvery, "delete expired data", func(ctx context.Context) error {
		err := a.tidyRevocations(ctx)
		if !a.watchClock(drift) {
			return err
		}
		return errors.Join(err, a.purge(ctx))
	})
	a.repeat(ctx, work, tidyEvery, "forget clients that have ended", func(ctx context.Context) error {
		if !a.watchClock(drift) {
			return nil
		}
		return a.forgetClients(ctx)
	})
	a.repeat(ctx, work, tidyEvery, "compare the list of people", a.comparePeople)
	a.repeat(ctx, work, jobsEvery, "work on jobs", a.workJobs)
	a.repeat(ctx, work, jobsEvery, "email imported people", a.welcome)
	a.repeat(ctx, work, sealEvery, "seal audit records", a.sealRecord)
	if !a.Store.Shared() {
		return
	}
	a.repeat(ctx, work, cluster.LeaseBeat, "renew the lease of the background work", func(ctx context.Context) error {
		return a.alone(ctx, func(*store.Tx) error { return nil })
	})
	work.Go(func() {
		<-ctx.Done()
		a.report("release the lease of the background work", a.release(context.WithoutCancel(ctx)))
	})
}

func (a *App) tidyRevocations(ctx context.Context) error {
	return a.Sessions.Tidy(ctx, func(ctx context.Context, fn func(session.Store) error) error {
		return a.alone(ctx, func(tx *store.Tx) error { return fn(tx) })
	})
}

// purge does each step whatever becomes of the others: a table that is locked, or a row that cannot be changed, holds up
// its own step alone.
func (a *App) purge(ctx context.Context) error {
	live := a.live.Load() // a reload replaces it
	operator := live.Operator
	records, err := a.releaseRecord(ctx)
	aged := a.batches(ctx, func(tx *store.Tx) (bool, error) { return operator.EndAged(ctx, tx) })
	err = errors.Join(err, aged, a.each(ctx, (*store.Tx).DueEnds, operator.CloseEnded), a.each(ctx, (*store.Tx).DueDepartures, operator.EraseDue))
	for _, batch := range []func(*store.Tx) (more bool, err error){
		func(tx *store.Tx) (bool, error) { return a.warnOfKeys(ctx, tx, operator) },
		func(tx *store.Tx) (bool, error) { return false, tellOfApplicants(ctx, tx, live) },
		func(tx *store.Tx) (bool, error) { return a.forgetEvents(ctx, tx) },
	} {
		err = errors.Join(err, a.batches(ctx, batch))
	}
	if aged == nil { // it reads sessions and grants that Purge deletes
		for _, kind := range store.Purgeable(a.clock.Now(), records) {
			err = errors.Join(err, a.batches(ctx, func(tx *store.Tx) (bool, error) { return tx.Purge(ctx, kind) }))
		}
	}
	return err
}

const (
	dueAtOnce  = 1000 // accounts that each reads
	mostFailed = 10   // in a row, after which each gives up: a locked table fails every one of them, after seconds
)

// each calls do with each account that is due, in a transaction of its own. After a failure, what is due beyond dueAtOnce
// waits for the next turn.
func (a *App) each(
	ctx context.Context, due func(*store.Tx, context.Context, time.Time, int) ([]string, error), do func(context.Context, flow.Tx, string) error,
) (err error) {
	for more := true; more; {
		var ids []string
		err = a.alone(ctx, func(tx *store.Tx) (err error) {
			ids, err = due(tx, ctx, a.clock.Now(), dueAtOnce)
			return err
		})
		failures := 0
		for _, id := range ids {
			if failures == mostFailed || ctx.Err() != nil {
				break
			}
			if failed := a.alone(ctx, func(tx *store.Tx) error { return do(ctx, tx, id) }); failed != nil && ctx.Err() == nil {
				failures++
				err = errors.Join(err, fmt.Errorf("the account %s: %w", id, failed))
			} else {
				failures = 0
			}
		}
		more = err == nil && len(ids) == dueAtOnce
	}
	return err
}

// forgetClients ends what users have given registered clients that have ended.
func (a *App) forgetClients(ctx context.Context) error {
	operator := a.live.Load().Operator // a reload replaces it
	var ended []string
	err := a.alone(ctx, func(tx *store.Tx) (err error) {
		ended, err = tx.EndedRegistered(ctx, a.clock.Now())
		return err
	})
	for _, id := range ended {
		err = errors.Join(err, operator.ForgetEnded(ctx, id))
	}
	return err
}

// tellOfApplicants does nothing without the admin page, to which the email leads.
func tellOfApplicants(ctx context.Context, tx *store.Tx, l *live) error {
	if !l.config.Admin {
		return nil
	}
	return l.Operator.TellOfApplicants(ctx, tx)
}

// warnOfKeys tells of API keys that end soon: their owners by email, and the operator in the log.
func (a *App) warnOfKeys(ctx context.Context, tx *store.Tx, operator *flow.Operator) (more bool, err error) {
	told, more, err := operator.WarnOfKeys(ctx, tx)
	if err != nil {
		return false, err
	}
	tx.AfterCommit(func() {
		for _, k := range told {
			a.log.Warn("an API key ends soon: renew it with 'portico key rotate' or on the admin page", "key", k.ID, "name", k.Name, "ends_at", k.EndsAt)
		}
	})
	return more, nil
}

// workJobs works on the jobs of admins until all have ended. It asks for the lease between
// the parts of the work, and only if there is work.
func (a *App) workJobs(ctx context.Context) error {
	for ctx.Err() == nil {
		operator := a.live.Load().Operator
		if busy, err := operator.HasJobs(ctx); err != nil || !busy {
			return err
		}
		held := false
		if err := a.alone(ctx, func(*store.Tx) error { held = true; return nil }); err != nil || !held {
			return err
		}
		if err := operator.WorkJobs(ctx); err != nil {
			return err
		}
	}
	return nil
}

// welcome writes the emails to imported people whose turn has come.
func (a *App) welcome(ctx context.Context) error {
	operator := a.live.Load().Operator
	due, err := operator.WelcomeDue(ctx)
	if err != nil || !due {
		return err
	}
	return a.batches(ctx, func(tx *store.Tx) (bool, error) { return operator.WelcomeNext(ctx, tx) })
}

// batches runs fn alone, in one transaction after the other, while it reports more.
func (a *App) batches(ctx context.Context, fn func(*store.Tx) (more bool, err error)) error {
	for {
		more := false
		err := a.alone(ctx, func(tx *store.Tx) (err error) {
			more, err = fn(tx)
			return err
		})
		if err != nil || !more {
			return err
		}
	}
}

// alone runs fn in a transaction if this process holds the lease. Otherwise it
// returns nil.
func (a *App) alone(ctx context.Context, fn func(*store.Tx) error) error {
	return a.Store.Write(ctx, func(tx *store.Tx) error {
		if a.Store.Shared() {
			if held, err := a.tidying.Hold(ctx, tx); err != nil || !held {
				return err
			}
		}
		return fn(tx)
	})
}

// release gives up the lease, so that another process can take over at once.
func (a *App) release(ctx context.Context) error {
	return a.Store.Write(ctx, func(tx *store.Tx) error { return a.tidying.Release(ctx, tx) })
}
