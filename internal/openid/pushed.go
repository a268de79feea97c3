package openid

import (
	"context"
	"net/url"
	"strings"
	"time"

	"portico/internal/clock"
	"portico/internal/secret"
)

const (
	// PushLife is how long a browser may wait before it begins with a request.
	PushLife = time.Minute

	// pushEnd is how long the user may take after that to sign in.
	pushEnd = time.Hour

	// maxPushed is the size limit of a request in bytes.
	maxPushed = 8 << 10

	// pushedPrefix is the beginning of the names of requests (RFC 9126 2.2).
	pushedPrefix = "urn:ietf:params:oauth:request_uri:"
)

// Pushed is a request for a code that a client has sent to Portico itself, so that
// the browser only carries its name (RFC 9126).
type Pushed struct {
	Hash      []byte // hash of its name
	ClientID  string
	Query     string    // its parameters
	BeginBy   time.Time // when a browser must have begun with it
	ExpiresAt time.Time
}

// PushStore has the operations of the database for pushed requests.
type PushStore interface {
	InsertPushed(ctx context.Context, p Pushed) error
	// PushedByHash does not look at the time.
	PushedByHash(ctx context.Context, hash []byte) (Pushed, bool, error)
	// UsePushed deletes a request and reports whether it was still there, and had not
	// expired.
	UsePushed(ctx context.Context, hash []byte, now time.Time) (bool, error)
}

// Push stores a request of a client, which ParsePushed has accepted, and returns its
// name.
func (k *Keeper) Push(ctx context.Context, tx PushStore, client Client, query url.Values) (name string, err error) {
	text := query.Encode()
	if len(text) > maxPushed {
		return "", invalidRequest("the request is too long")
	}
	id, now := secret.Token(), k.clock.Now()
	p := Pushed{secret.Hash(id), client.ID, text, now.Add(PushLife), now.Add(PushLife + pushEnd)}
	return pushedPrefix + id, tx.InsertPushed(ctx, p)
}

// IsPushed reports whether a request_uri is the name of a pushed request.
func IsPushed(name string) bool { return strings.HasPrefix(name, pushedPrefix) }

// Pushed returns the request with a name if it is of the client, or RequestUnknown. After
// BeginBy it returns the request only if the browser has begun.
func (k *Keeper) Pushed(ctx context.Context, store PushStore, clientID, name string, begun bool) (Pushed, error) {
	id := strings.TrimPrefix(name, pushedPrefix)
	if !secret.ValidToken(id) {
		return Pushed{}, RequestUnknown
	}
	p, ok, err := store.PushedByHash(ctx, secret.Hash(id))
	if err != nil {
		return Pushed{}, err
	}
	now := k.clock.Now()
	if !ok || p.ClientID != clientID || !clock.Valid(p.ExpiresAt, PushLife+pushEnd, now) || !begun && !now.Before(p.BeginBy) {
		return Pushed{}, RequestUnknown
	}
	return p, nil
}

// spend uses up the pushed request that a code is given for, if there is one.
func (k *Keeper) spend(ctx context.Context, tx PushStore, r Request) error {
	if r.Pushed == nil {
		return nil
	}
	first, err := tx.UsePushed(ctx, r.Pushed, k.clock.Now())
	if err == nil && !first {
		return RequestUnknown
	}
	return err
}
