package signingkey

import (
	"context"
	"crypto"
	"crypto/x509"
	"errors"
	"fmt"
	"slices"
	"sync/atomic"
	"time"

	"github.com/go-jose/go-jose/v4"

	"portico/internal/clock"
	"portico/internal/ids"
	"portico/internal/secret"
)

// series is the keys of one algorithm.
type series struct {
	algorithm
	clock    clock.Clock
	box      *secret.Box
	keep     time.Duration
	remember time.Duration
	open     atomic.Pointer[opened]
}

// opened is the ring with the keys that it remembers.
type opened struct {
	ring
	private map[string]crypto.Signer // by id
	public  map[string][]byte        // by id, as JSON Web Keys
}

func newSeries(c Config, a algorithm) *series {
	// A verifier's clock may differ, and it may have fetched the set just
	// before.
	return &series{algorithm: a, clock: c.Clock, box: c.Box, keep: c.Longest + publishAhead, remember: c.Remember}
}

// load is Keeper.Load of one algorithm.
func (s *series) load(ctx context.Context, store Store) (renew bool, err error) {
	r, err := s.ring(ctx, store)
	if err != nil {
		return false, err
	}
	now := s.clock.Now()
	set := &opened{r, make(map[string]crypto.Signer), make(map[string][]byte)}
	before := s.open.Load()
	for _, key := range r.keys {
		if !r.remembered(key, now) {
			continue
		}
		if before != nil && before.private[key.ID] != nil {
			set.private[key.ID], set.public[key.ID] = before.private[key.ID], before.public[key.ID]
			continue
		}
		private, err := s.unseal(key)
		if err != nil && !r.published(key, now) {
			continue // only hints of its time lose by it
		}
		if err != nil {
			return false, err
		}
		set.private[key.ID] = private
		jwk := jose.JSONWebKey{Key: set.private[key.ID].Public(), KeyID: key.ID, Algorithm: s.name(), Use: "sig"}
		if set.public[key.ID], err = jwk.MarshalJSON(); err != nil {
			return false, err
		}
	}
	s.open.Store(set)
	_, due := r.due(now, false)
	if due {
		s.prepare() // outside the transaction of Renew
	}
	return due || r.spent(now) > r.oldest(), nil
}

// oldest returns the generation of the oldest key.
func (r ring) oldest() int64 {
	if len(r.keys) == 0 {
		return 0
	}
	return r.keys[0].Generation
}

// renew is Keeper.Renew of one algorithm.
func (s *series) renew(ctx context.Context, tx Store) (made []string, err error) {
	r, err := s.ring(ctx, tx)
	if err != nil {
		return nil, err
	}
	now := s.clock.Now()
	if at, due := r.due(now, false); due {
		if _, made, err = s.add(ctx, tx, r, at); err != nil {
			return nil, err
		}
	}
	if spent := r.spent(now); spent > r.oldest() {
		err = tx.DeleteSigningKeys(ctx, s.first(), spent)
	}
	return made, err
}

// rotate is Keeper.Rotate of one algorithm.
func (s *series) rotate(ctx context.Context, tx Store) (next Entry, made []string, err error) {
	r, err := s.ring(ctx, tx)
	if err != nil {
		return Entry{}, nil, err
	}
	now := s.clock.Now()
	for _, key := range r.keys {
		if r.state(key, now) == Upcoming {
			return s.entry(key, Upcoming), nil, nil
		}
	}
	at, _ := r.due(now, true)
	key, made, err := s.add(ctx, tx, r, at)
	if key.SignsAt.After(now) {
		return s.entry(key, Upcoming), made, err
	}
	return s.entry(key, Signing), made, err
}

// revoke is Keeper.Revoke of one algorithm. It reports whether it has such a key.
func (s *series) revoke(ctx context.Context, tx Store, id string) (found bool, made []string, err error) {
	r, err := s.ring(ctx, tx)
	if err != nil || !slices.ContainsFunc(r.keys, func(k Key) bool { return k.ID == id }) {
		return false, nil, err
	}
	now := s.clock.Now()
	signer, _ := r.signer(now)
	ok, err := tx.RevokeSigningKey(ctx, id, now)
	switch {
	case err != nil:
		return false, nil, err
	case !ok:
		return false, nil, nil
	case signer.ID != id:
		return true, nil, nil
	}
	// The key before it does not return: it may be exposed as well.
	_, made, err = s.add(ctx, tx, r, now)
	return true, made, err
}

func (s *series) entry(k Key, state State) Entry { return Entry{k, s.name(), state} }

func (s *series) ring(ctx context.Context, store Store) (ring, error) {
	list, err := store.SigningKeys(ctx)
	list = slices.DeleteFunc(list, func(k Key) bool { return k.Generation < s.first() || k.Generation >= s.first()+generations })
	return ring{list, s.first(), s.keep, s.remember}, err
}

// add stores a new key that signs from the given time, and returns it with its id in made. If another node adds one
// at the same moment, add returns that one alone.
func (s *series) add(ctx context.Context, tx Store, r ring, signsAt time.Time) (key Key, made []string, err error) {
	private, err := s.generate()
	if err != nil {
		return Key{}, nil, err
	}
	der, err := x509.MarshalPKCS8PrivateKey(private)
	if err != nil {
		return Key{}, nil, err
	}
	key = Key{ID: ids.New(), Generation: r.next(), CreatedAt: s.clock.Now(), SignsAt: signsAt}
	key.Sealed = s.box.Seal(der, key.ID)
	added, err := tx.InsertSigningKey(ctx, key)
	if err != nil || added {
		return key, []string{key.ID}, err
	}
	r, err = s.ring(ctx, tx)
	if err != nil || len(r.keys) == 0 {
		return Key{}, nil, errors.Join(err, Unavailable)
	}
	return r.keys[len(r.keys)-1], nil, nil
}

func (s *series) unseal(key Key) (crypto.Signer, error) {
	der, err := s.box.Open(key.Sealed, key.ID)
	if err != nil {
		return nil, fmt.Errorf("open the signing key %s: %w", key.ID, err)
	}
	parsed, err := x509.ParsePKCS8PrivateKey(der)
	if err != nil {
		return nil, fmt.Errorf("read the signing key %s: %w", key.ID, err)
	}
	private, ok := parsed.(crypto.Signer)
	if !ok || !s.fits(private) {
		return nil, fmt.Errorf("the signing key %s is of another kind", key.ID)
	}
	return private, nil
}
