package storetest

import (
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"portico/internal/store"
)

// bundle is what a case works with: a store of its own.
type bundle struct {
	*testing.T
	store *store.Store
}

// write runs fn in one transaction.
func (b *bundle) write(fn func(tx *store.Tx) error) {
	b.Helper()
	if err := b.store.Write(b.Context(), fn); err != nil {
		b.Fatal(err)
	}
}

// fails expects that a transaction returns an error.
func (b *bundle) fails(why string, fn func(tx *store.Tx) error) {
	b.Helper()
	if err := b.store.Write(b.Context(), fn); err == nil {
		b.Errorf("%s was taken", why)
	}
}

// result returns what a method returns inside a transaction.
func result[T any](b *bundle, fn func(tx *store.Tx) (T, error)) (got T) {
	b.Helper()
	b.write(func(tx *store.Tx) (err error) {
		got, err = fn(tx)
		return err
	})
	return got
}

// did is result for methods that report whether they did it.
func (b *bundle) did(fn func(tx *store.Tx) (bool, error)) bool {
	b.Helper()
	return result(b, fn)
}

// find returns what a lookup finds outside a transaction.
func find[T any](b *bundle, fn func(tx *store.Tx) (T, bool, error)) (got T, found bool) {
	b.Helper()
	err := b.store.Read(b.Context(), func(tx *store.Tx) (err error) {
		got, found, err = fn(tx)
		return err
	})
	if err != nil {
		b.Fatal(err)
	}
	return got, found
}

// list is find for methods that return several.
func list[T any](b *bundle, fn func(tx *store.Tx) ([]T, error)) []T {
	b.Helper()
	got, _ := find(b, func(tx *store.Tx) ([]T, bool, error) {
		all, err := fn(tx)
		return all, true, err
	})
	return got
}

// equal compares. Times must be in UTC, and an empty list equals nil.
func (b *bundle) equal(what string, got, want any) {
	b.Helper()
	exact := cmp.Comparer(func(x, y time.Time) bool { return x == y })
	if diff := cmp.Diff(want, got, exact, cmpopts.EquateEmpty()); diff != "" {
		b.Errorf("%s differs (- wanted, + got):\n%s", what, diff)
	}
}

const workers = 20

// race lets 20 workers try the same thing at once, each in its own transaction,
// and returns how many of them won.
func (b *bundle) race(try func(tx *store.Tx, worker int) (bool, error)) int {
	b.Helper()
	var won atomic.Int64
	var ready, done sync.WaitGroup
	start := make(chan struct{})
	ready.Add(workers)
	for worker := range workers {
		done.Go(func() {
			ready.Done()
			<-start
			var ok bool
			err := b.store.Write(b.Context(), func(tx *store.Tx) (err error) {
				ok, err = try(tx, worker)
				return err
			})
			switch {
			case err != nil:
				b.Error(err)
			case ok:
				won.Add(1)
			}
		})
	}
	ready.Wait()
	close(start)
	done.Wait()
	return int(won.Load())
}

// oneWins expects that one of 20 concurrent workers wins.
func (b *bundle) oneWins(try func(tx *store.Tx, worker int) (bool, error)) {
	b.Helper()
	if won := b.race(try); won != 1 {
		b.Errorf("%d of %d won, want 1", won, workers)
	}
}
