package session

import (
	"context"
	"slices"
	"sync"
	"time"

	"portico/internal/clock"
)

// How a process learns about sessions that another process ended. A process that
// ends sessions of an account, or changes their data, writes a row in the same
// transaction. Every process reads all rows twice a second. When it sees a row
// for the first time, it drops the account from its cache.
//
// The comparison only asks whether a row is known. The order of commits and the
// clocks of the machines do not matter. To keep the rows few, a process deletes
// a row once it has seen it for keep. A process that could not read the rows
// for longer than Blind, which is shorter, may have missed one and drops its
// whole cache.
const (
	// Blind is the longest time for which checks are answered from memory while
	// the database is not available.
	Blind = 2 * time.Minute

	keep = 5 * time.Minute
)

// Revocation says that the sessions of an account must be read again.
type Revocation struct {
	ID        string
	AccountID string
}

// follower is what a process knows about the revocations.
type follower struct {
	mu     sync.Mutex
	known  map[string]clock.Mark // current revocations, and when they were first seen
	looked clock.Mark            // when the last successful look began
}

// Follow drops from the cache what another process has ended: an operator's
// command or another node. The application calls it twice a second, so that
// every node notices an ended session within a second. While the database is
// not available, the cache is dropped after Blind. Follow reports whether there was
// anything new.
func (k *Keeper) Follow(ctx context.Context, store Store) (news bool, err error) {
	began := clock.Here()
	there, err := store.Revocations(ctx)
	f := k.follower
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.looked.Age() > Blind {
		k.cache.clear()
	}
	if err != nil {
		return false, err
	}
	known := make(map[string]clock.Mark, len(there))
	for _, r := range there {
		met, ok := f.known[r.ID]
		if !ok {
			met, news = began, true
			k.cache.forget(r.AccountID)
		}
		known[r.ID] = met
	}
	f.known, f.looked = known, began
	return news, nil
}

// Tidy deletes the revocations that every process has seen. The application
// calls it from time to time, in one process.
func (k *Keeper) Tidy(ctx context.Context, write func(context.Context, func(Store) error) error) error {
	const batch = 500
	for ids := range slices.Chunk(k.follower.old(), batch) {
		if err := write(ctx, func(tx Store) error { return tx.DeleteRevocations(ctx, ids) }); err != nil {
			return err
		}
	}
	return nil
}

// old returns the revocations that were first seen long ago.
func (f *follower) old() []string {
	f.mu.Lock()
	defer f.mu.Unlock()
	var ids []string
	for id, met := range f.known {
		if met.Age() > keep {
			ids = append(ids, id)
		}
	}
	return ids
}
