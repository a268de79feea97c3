package session

import (
	"context"
	"slices"
	"sync"
	"time"

	"portico/internal/clock"
)

// How one process feels what another has ended. Whoever ends sessions of an
// account, or changes what its sessions say, leaves a row in the same
// transaction. Every process reads all rows that are there, twice a second, and
// drops an account from its cache when it meets a row for the first time.
//
// What is compared is whether a row is known, and nothing else: neither the
// order in which transactions commit nor the clocks of the machines matter. So
// that there are few, a row is deleted once it has been there for keep, as the
// process that deletes it has seen itself. Who could not look for longer than
// Blind, which is less, may have missed one, and drops everything.
const (
	// Blind is the longest for which checks are answered from memory while the
	// database does not say what was ended.
	Blind = 2 * time.Minute

	keep = 5 * time.Minute
)

// Revocation says that an account's sessions are to be read again.
type Revocation struct {
	ID        string
	AccountID string
}

// follower is what a process knows of the revocations.
type follower struct {
	mu     sync.Mutex
	known  map[string]clock.Mark // those that are there, and when they were met
	looked clock.Mark            // when the last look began that succeeded
}

// Follow drops from the cache what another process has ended: an operator's
// command, or another node. The application calls it twice a second, so that
// an ended session is felt everywhere within one, also when the database does
// not answer: then the cache ends after Blind.
func (k *Keeper) Follow(ctx context.Context, store Store) error {
	began := clock.Here()
	there, err := store.Revocations(ctx)
	f := &k.follower
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.looked.Age() > Blind {
		k.cache.clear()
	}
	if err != nil {
		return err
	}
	known := make(map[string]clock.Mark, len(there))
	for _, r := range there {
		met, ok := f.known[r.ID]
		if !ok {
			met = began
			k.cache.forget(r.AccountID)
		}
		known[r.ID] = met
	}
	f.known, f.looked = known, began
	return nil
}

// Tidy deletes the revocations that every process has met or will not ask for.
// The application calls it now and then, in one process.
func (k *Keeper) Tidy(ctx context.Context, write func(context.Context, func(Store) error) error) error {
	const batch = 500
	for ids := range slices.Chunk(k.follower.old(), batch) {
		err := write(ctx, func(tx Store) error {
			for _, id := range ids {
				if err := tx.DeleteRevocation(ctx, id); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// old returns those that were met long ago.
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
