package signingkey

import (
	"context"
	"slices"
	"time"
)

// Key is a signing key as it is stored.
type Key struct {
	ID         string // the kid of its tokens
	Generation int64  // unique, ascending
	Sealed     []byte // the private key
	CreatedAt  time.Time
	SignsAt    time.Time // from when it signs, unless a later one does
	RevokedAt  time.Time // zero: not revoked
}

// State is what a key does at a time.
type State string

const (
	Upcoming State = "upcoming" // published, does not sign yet
	Signing  State = "signing"
	Retiring State = "retiring" // published for the tokens that it has signed
	Retired  State = "retired"
	Revoked  State = "revoked"
)

// Store has the operations of the database that this package needs.
type Store interface {
	// SigningKeys returns all keys in the order of their generations.
	SigningKeys(ctx context.Context) ([]Key, error)
	// InsertSigningKey reports false when the generation is taken.
	InsertSigningKey(ctx context.Context, k Key) (bool, error)
	// RevokeSigningKey reports false when no key of the id is left to revoke.
	RevokeSigningKey(ctx context.Context, id string, at time.Time) (bool, error)
	// DeleteSigningKeys deletes the keys from one generation to before another.
	DeleteSigningKeys(ctx context.Context, from, before int64) error
}

const (
	// rotateEvery is how long a key signs.
	rotateEvery = 30 * 24 * time.Hour

	// publishAhead is how long a key is published before it signs: three times
	// as long as verifiers may cache the set, plus the difference of two
	// clocks.
	publishAhead = 15 * time.Minute

	// MaxAge is how long a verifier may cache the published set. After it, no
	// verifier accepts a token of a revoked key.
	MaxAge = 5 * time.Minute
)

// ring is the keys of one algorithm at one moment.
type ring struct {
	keys     []Key // ascending generations
	first    int64 // the first generation of the algorithm
	keep     time.Duration
	remember time.Duration
}

// signer returns the key that signs at a time.
func (r ring) signer(now time.Time) (signer Key, ok bool) {
	for _, k := range r.keys {
		if k.RevokedAt.IsZero() && !k.SignsAt.After(now) && (!ok || !k.SignsAt.Before(signer.SignsAt)) {
			signer, ok = k, true
		}
	}
	return signer, ok
}

// state returns what a key does at a time.
func (r ring) state(k Key, now time.Time) State {
	signer, ok := r.signer(now)
	switch {
	case !k.RevokedAt.IsZero():
		return Revoked
	case k.SignsAt.After(now):
		return Upcoming
	case ok && k.ID == signer.ID:
		return Signing
	case r.stopped(k, now.Add(-r.keep)): // the tokens that it has signed until then were valid for a while longer
		return Retired
	}
	return Retiring
}

// stopped reports whether another key signed in place of a key by a time.
func (r ring) stopped(k Key, by time.Time) bool {
	return slices.ContainsFunc(r.keys, func(later Key) bool {
		began := later.RevokedAt.IsZero() || later.RevokedAt.After(later.SignsAt)
		return later.Generation != k.Generation && began && !later.SignsAt.Before(k.SignsAt) && !later.SignsAt.After(by)
	})
}

// published reports whether a key is in the published set.
func (r ring) published(k Key, now time.Time) bool {
	switch r.state(k, now) {
	case Upcoming, Signing, Retiring:
		return true
	}
	return false
}

// remembered reports whether a key verifies tokens, those of a key that is no longer published for VerifyPast alone.
func (r ring) remembered(k Key, now time.Time) bool {
	return r.published(k, now) || k.RevokedAt.IsZero() && !r.stopped(k, now.Add(-r.remember))
}

// due returns when the next key should start to sign, if it is time to add that
// key. soon asks for the earliest possible time.
func (r ring) due(now time.Time, soon bool) (signsAt time.Time, ok bool) {
	signer, found := r.signer(now)
	if !found {
		return now, true // without this key nothing can be signed
	}
	for _, k := range r.keys {
		if r.state(k, now) == Upcoming {
			return time.Time{}, false
		}
	}
	earliest := now.Add(publishAhead)
	planned := signer.SignsAt.Add(rotateEvery)
	switch {
	case soon || planned.Before(earliest):
		return earliest, true
	case !planned.Add(-publishAhead).After(now):
		return planned, true
	}
	return time.Time{}, false
}

// next returns the generation after all others.
func (r ring) next() int64 {
	if len(r.keys) == 0 {
		return r.first
	}
	return r.keys[len(r.keys)-1].Generation + 1
}

// spent returns the generation below which no key is needed anymore.
func (r ring) spent(now time.Time) int64 {
	for _, k := range r.keys {
		if r.remembered(k, now) {
			return k.Generation
		}
	}
	return 0
}
