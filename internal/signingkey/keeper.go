package signingkey

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"errors"
	"fmt"
	"sync/atomic"
	"time"

	"portico/internal/clock"
	"portico/internal/ids"
	"portico/internal/secret"
)

// Config of a Keeper.
type Config struct {
	Clock clock.Clock
	Box   *secret.Box // seals the private keys

	// Longest is the lifetime of the longest token that is signed.
	Longest time.Duration
}

// Keeper makes, rotates and uses the keys of an installation. It is safe for
// concurrent use. It signs nothing before the first Load.
type Keeper struct {
	clock clock.Clock
	box   *secret.Box
	keep  time.Duration
	open  atomic.Pointer[opened]
}

// opened is the ring with the private halves of its published keys.
type opened struct {
	ring
	private map[string]*ecdsa.PrivateKey // by id
}

// NewKeeper returns a Keeper without keys.
func NewKeeper(c Config) *Keeper {
	// A verifier's clock may differ, and it may have fetched the set just
	// before.
	return &Keeper{clock: c.Clock, box: c.Box, keep: c.Longest + publishAhead}
}

// Load reads the keys and reports whether Renew should be called: no key signs,
// the next one is due for publishing, or one is no longer needed. When Load
// fails, the keys of the last Load stay in use.
func (k *Keeper) Load(ctx context.Context, store Store) (renew bool, err error) {
	r, err := k.ring(ctx, store)
	if err != nil {
		return false, err
	}
	now := k.clock.Now()
	set := &opened{r, make(map[string]*ecdsa.PrivateKey)}
	before := k.open.Load()
	for _, key := range r.keys {
		if !r.published(key, now) {
			continue
		}
		if before != nil && before.private[key.ID] != nil {
			set.private[key.ID] = before.private[key.ID]
			continue
		}
		if set.private[key.ID], err = k.unseal(key); err != nil {
			return false, err
		}
	}
	k.open.Store(set)
	_, due := r.due(now, false)
	return due || r.spent(now) > r.first(), nil
}

func (r ring) first() int64 {
	if len(r.keys) == 0 {
		return 0
	}
	return r.keys[0].Generation
}

// Renew adds the key that is due and deletes keys that are no longer needed.
func (k *Keeper) Renew(ctx context.Context, tx Store) error {
	r, err := k.ring(ctx, tx)
	if err != nil {
		return err
	}
	now := k.clock.Now()
	if at, due := r.due(now, false); due {
		if _, err := k.add(ctx, tx, r, at); err != nil {
			return err
		}
	}
	if spent := r.spent(now); spent > r.first() {
		return tx.DeleteSigningKeys(ctx, spent)
	}
	return nil
}

// Rotate publishes a key that signs soon and returns it. If such a key is
// published already, Rotate returns that one.
func (k *Keeper) Rotate(ctx context.Context, tx Store) (Entry, error) {
	r, err := k.ring(ctx, tx)
	if err != nil {
		return Entry{}, err
	}
	now := k.clock.Now()
	for _, key := range r.keys {
		if r.state(key, now) == Upcoming {
			return Entry{key, Upcoming}, nil
		}
	}
	at, _ := r.due(now, true)
	key, err := k.add(ctx, tx, r, at)
	if key.SignsAt.After(now) {
		return Entry{key, Upcoming}, err
	}
	return Entry{key, Signing}, err
}

// Revoke makes a key worthless at once, or returns Missing. If the key was
// signing, a new key replaces it without being published before. Verifiers see
// an unknown key and fetch the set.
func (k *Keeper) Revoke(ctx context.Context, tx Store, id string) error {
	r, err := k.ring(ctx, tx)
	if err != nil {
		return err
	}
	now := k.clock.Now()
	signer, _ := r.signer(now)
	ok, err := tx.RevokeSigningKey(ctx, id, now)
	switch {
	case err != nil:
		return err
	case !ok:
		return Missing
	case signer.ID != id:
		return nil
	}
	// The key before it does not return: it may be exposed as well.
	_, err = k.add(ctx, tx, r, now)
	return err
}

// Entry is a key as operators see it.
type Entry struct {
	Key
	State State
}

// List returns all keys, oldest first.
func (k *Keeper) List(ctx context.Context, store Store) ([]Entry, error) {
	r, err := k.ring(ctx, store)
	if err != nil {
		return nil, err
	}
	list := make([]Entry, len(r.keys))
	for i, key := range r.keys {
		list[i] = Entry{key, r.state(key, k.clock.Now())}
	}
	return list, nil
}

func (k *Keeper) ring(ctx context.Context, store Store) (ring, error) {
	list, err := store.SigningKeys(ctx)
	return ring{list, k.keep}, err
}

// add stores a new key that signs from the given time. If another node adds one
// at the same moment, add returns that one.
func (k *Keeper) add(ctx context.Context, tx Store, r ring, signsAt time.Time) (Key, error) {
	private, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return Key{}, err
	}
	der, err := x509.MarshalPKCS8PrivateKey(private)
	if err != nil {
		return Key{}, err
	}
	key := Key{ID: ids.New(), Generation: r.next(), CreatedAt: k.clock.Now(), SignsAt: signsAt}
	key.Sealed = k.box.Seal(der, key.ID)
	added, err := tx.InsertSigningKey(ctx, key)
	if err != nil || added {
		return key, err
	}
	r, err = k.ring(ctx, tx)
	if err != nil || len(r.keys) == 0 {
		return Key{}, errors.Join(err, Unavailable)
	}
	return r.keys[len(r.keys)-1], nil
}

func (k *Keeper) unseal(key Key) (*ecdsa.PrivateKey, error) {
	der, err := k.box.Open(key.Sealed, key.ID)
	if err != nil {
		return nil, fmt.Errorf("open the signing key %s: %w", key.ID, err)
	}
	parsed, err := x509.ParsePKCS8PrivateKey(der)
	if err != nil {
		return nil, fmt.Errorf("read the signing key %s: %w", key.ID, err)
	}
	private, ok := parsed.(*ecdsa.PrivateKey)
	if !ok || private.Curve != elliptic.P256() {
		return nil, fmt.Errorf("the signing key %s is of another kind", key.ID)
	}
	return private, nil
}
