package signingkey

import (
	"context"
	"slices"
	"sync/atomic"
	"time"

	"portico/internal/clock"
	"portico/internal/secret"
)

// Config of a Keeper.
type Config struct {
	Clock clock.Clock
	Box   *secret.Box // seals the private keys

	// Longest is the lifetime of the longest token that is signed.
	Longest time.Duration

	// Remember is how long VerifyPast takes the tokens of a key after it has stopped to sign.
	Remember time.Duration

	// Algorithms names the algorithms other than ES256 that the Keeper has keys of: "RS256", "EdDSA".
	Algorithms []string
}

// Keeper makes, rotates and uses the keys of an installation: one series for each
// algorithm. It is safe for concurrent use. It signs nothing before the first
// Load.
type Keeper struct {
	config Config
	all    atomic.Pointer[[]*series] // ES256 first
}

// NewKeeper returns a Keeper without keys.
func NewKeeper(c Config) *Keeper {
	k := &Keeper{config: c}
	k.all.Store(&[]*series{newSeries(c, es256{})})
	k.Extend(c.Algorithms)
	return k
}

// Extend adds algorithms that the Keeper does not have yet. Their keys come with the next
// Load; until then the Keeper works as before. undo removes them again. It is nil if there
// was none to add. Calls must not overlap.
func (k *Keeper) Extend(algorithms []string) (undo func()) {
	before := k.all.Load()
	all := slices.Clone(*before)
	for _, a := range []algorithm{&rs256{}, edDSA{}} {
		if slices.Contains(algorithms, a.name()) && !slices.Contains(k.Algorithms(), a.name()) {
			all = append(all, newSeries(k.config, a))
		}
	}
	if len(all) == len(*before) {
		return nil
	}
	k.all.Store(&all)
	return func() { k.all.Store(before) }
}

// Load reads the keys and reports whether Renew should be called: no key signs,
// the next one is due for publishing, or one is no longer needed. When Load
// fails, the keys of the last Load stay in use.
func (k *Keeper) Load(ctx context.Context, store Store) (renew bool, err error) {
	for _, s := range *k.all.Load() {
		due, err := s.load(ctx, store)
		if err != nil {
			return false, err
		}
		renew = renew || due
	}
	return renew, nil
}

// Renew adds the keys that are due and deletes keys that are no longer needed. It returns the ids of those that it made.
func (k *Keeper) Renew(ctx context.Context, tx Store) (made []string, err error) {
	for _, s := range *k.all.Load() {
		ids, err := s.renew(ctx, tx)
		if err != nil {
			return nil, err
		}
		made = append(made, ids...)
	}
	return made, nil
}

// Rotate publishes a key of each algorithm that signs soon, unless such a key is published
// already. It returns these keys, the one of ES256 first, and the ids of those that it made.
func (k *Keeper) Rotate(ctx context.Context, tx Store) (list []Entry, made []string, err error) {
	for _, s := range *k.all.Load() {
		next, ids, err := s.rotate(ctx, tx)
		if err != nil {
			return nil, nil, err
		}
		list, made = append(list, next), append(made, ids...)
	}
	return list, made, nil
}

// Revoke makes a key worthless at once, or returns Missing. If the key was
// signing, a new key, whose id is in made, replaces it without being published before. Verifiers see
// an unknown key and fetch the set.
func (k *Keeper) Revoke(ctx context.Context, tx Store, id string) (made []string, err error) {
	for _, s := range *k.all.Load() {
		if found, made, err := s.revoke(ctx, tx, id); err != nil || found {
			return made, err
		}
	}
	return nil, Missing
}

// Entry is a key as operators see it.
type Entry struct {
	Key
	Algorithm string
	State     State
}

// List returns all keys, the oldest of each algorithm first.
func (k *Keeper) List(ctx context.Context, store Store) ([]Entry, error) {
	var list []Entry
	for _, s := range *k.all.Load() {
		r, err := s.ring(ctx, store)
		if err != nil {
			return nil, err
		}
		for _, key := range r.keys {
			list = append(list, s.entry(key, r.state(key, s.clock.Now())))
		}
	}
	return list, nil
}
