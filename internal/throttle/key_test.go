package throttle_test

import (
	"context"
	"errors"
	"testing"

	"portico/internal/secret"
	"portico/internal/store"
	"portico/internal/throttle"
)

// A change of the master key gives nobody more attempts: a count goes on, under both keys and then under the new one alone.
func TestTake_AfterAChangeOfTheMasterKey(t *testing.T) {
	t.Parallel()
	b := setup(t)
	former, next := secret.NewKey(), secret.NewKey()
	attempt := throttle.Attempt{Limit: three, Subject: "v@x.test"}
	fresh := throttle.Attempt{Limit: three, Subject: "w@x.test"}
	b.limiter = throttle.NewLimiter(former, b.clock)
	b.take(attempt)
	b.limiter = throttle.NewLimiter(next.With(former), b.clock)
	b.left(attempt, 2)
	b.left(fresh, 3)
	b.take(attempt)
	b.left(attempt, 1)
	b.take(fresh)
	b.left(fresh, 2)
	b.limiter = throttle.NewLimiter(former, b.clock)
	b.left(attempt, 3) // the row has moved, so nothing counts twice
	b.limiter = throttle.NewLimiter(next, b.clock)
	b.left(attempt, 1)
	b.left(fresh, 2)
}

// faulty is a transaction that fails at one operation. It counts the operations.
type faulty struct {
	*store.Tx
	at, done int
}

var errFaulty = errors.New("the database is away")

func (f *faulty) fails() error {
	if f.done++; f.done == f.at {
		return errFaulty
	}
	return nil
}

func (f *faulty) LockThrottle(ctx context.Context, key string) (throttle.State, error) {
	if err := f.fails(); err != nil {
		return throttle.State{}, err
	}
	return f.Tx.LockThrottle(ctx, key)
}

func (f *faulty) ThrottleState(ctx context.Context, key string) (throttle.State, error) {
	if err := f.fails(); err != nil {
		return throttle.State{}, err
	}
	return f.Tx.ThrottleState(ctx, key)
}

func (f *faulty) SaveThrottle(ctx context.Context, key string, s throttle.State) error {
	if err := f.fails(); err != nil {
		return err
	}
	return f.Tx.SaveThrottle(ctx, key, s)
}

func (f *faulty) DeleteThrottle(ctx context.Context, key string) error {
	if err := f.fails(); err != nil {
		return err
	}
	return f.Tx.DeleteThrottle(ctx, key)
}

// Whichever operation of the database fails, the limiter reports it and allows nothing.
func TestLimiter_Failures(t *testing.T) {
	t.Parallel()
	attempt := throttle.Attempt{Limit: three, Subject: "v@x.test"}
	for name, call := range map[string]func(ctx context.Context, l *throttle.Limiter, tx throttle.Store) (allowed bool, err error){
		"Take": func(ctx context.Context, l *throttle.Limiter, tx throttle.Store) (bool, error) {
			d, err := l.Take(ctx, tx, attempt)
			return d.Allowed, err
		},
		"Return": func(ctx context.Context, l *throttle.Limiter, tx throttle.Store) (bool, error) {
			return false, l.Return(ctx, tx, attempt)
		},
		"Clear": func(ctx context.Context, l *throttle.Limiter, tx throttle.Store) (bool, error) {
			return false, l.Clear(ctx, tx, attempt)
		},
		"Left": func(ctx context.Context, l *throttle.Limiter, tx throttle.Store) (bool, error) {
			_, err := l.Left(ctx, tx, attempt)
			return false, err
		},
		"Wait": func(ctx context.Context, l *throttle.Limiter, tx throttle.Store) (bool, error) {
			_, err := l.Wait(ctx, tx, attempt)
			return false, err
		},
		"Stand": func(ctx context.Context, l *throttle.Limiter, tx throttle.Store) (bool, error) {
			_, remembered, err := l.Stand(ctx, tx, attempt)
			return remembered, err
		},
	} {
		for at := 1; ; at++ {
			b := setup(t)
			former := secret.NewKey()
			b.limiter = throttle.NewLimiter(former, b.clock)
			b.take(attempt)
			moving := throttle.NewLimiter(secret.NewKey().With(former), b.clock)
			f := &faulty{at: at}
			var allowed bool
			err := b.store.Write(b.Context(), func(tx *store.Tx) (err error) {
				f.Tx, f.done = tx, 0
				allowed, err = call(b.Context(), moving, f)
				return err
			})
			if f.done < at {
				break // it has fewer operations
			}
			if !errors.Is(err, errFaulty) || allowed {
				t.Errorf("%s, failure %d: allowed %v, %v", name, at, allowed, err)
			}
			b.left(attempt, three.Count-1)
		}
	}
}
