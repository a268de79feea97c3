package assertion

import (
	"context"
	"errors"
	"fmt"
	"time"

	"portico/internal/clock"
	"portico/internal/document"
	"portico/internal/egress"
	"portico/internal/secret"
)

// keysLife is how long keys that a client publishes are used without asking again.
const keysLife = 10 * time.Minute

// Source says where the keys of a client are: in the settings, or at an address.
type Source struct {
	ClientID string
	Keys     Keys
	URL      string // "" for Keys
}

// Config of a Keeper.
type Config struct {
	Clock   clock.Clock
	Client  *egress.Client
	Sources []Source
}

// Store has the operation of the database that this package needs.
type Store interface {
	// SpendTicket stores a hash until a time, and reports whether this call was the
	// first.
	SpendTicket(ctx context.Context, hash []byte, until time.Time) (bool, error)
}

// loader returns keys after the known ones did not fit, or the known ones.
type loader func(ctx context.Context) (Keys, error)

// Keeper checks the assertions of clients. It is safe for concurrent use.
type Keeper struct {
	clock    clock.Clock
	client   *egress.Client
	byClient map[string]func() []loader // in the order in which they are tried
}

// New returns a Keeper. It sends no request.
func New(c Config) *Keeper {
	k := &Keeper{clock: c.Clock, client: c.Client, byClient: map[string]func() []loader{}}
	for _, s := range c.Sources {
		if s.URL == "" {
			k.byClient[s.ClientID] = func() []loader {
				return []loader{func(context.Context) (Keys, error) { return s.Keys, nil }}
			}
			continue
		}
		kept := document.New(c.Clock.Now, keysLife, func(ctx context.Context) (Keys, error) { return k.load(ctx, s.URL) })
		k.byClient[s.ClientID] = func() []loader {
			edition := kept.Seen()
			return []loader{kept.Current, func(ctx context.Context) (Keys, error) { return kept.Newer(ctx, edition) }}
		}
	}
	return k
}

// Close closes idle connections.
func (k *Keeper) Close() { k.client.Close() }

// load loads the keys that a client publishes.
func (k *Keeper) load(ctx context.Context, url string) (Keys, error) {
	text, err := k.client.Get(ctx, url)
	if err != nil {
		return Keys{}, err
	}
	keys, err := ParseKeys(text)
	if err != nil {
		return Keys{}, fmt.Errorf("the key set at %s: %w", url, err)
	}
	return keys, nil
}

// payload returns what a client has signed.
func (k *Keeper) payload(ctx context.Context, a Assertion) ([]byte, error) {
	of, ok := k.byClient[a.ClientID]
	if !ok {
		return nil, Wrong("the client has no keys")
	}
	for _, load := range of() {
		keys, err := load(ctx)
		if err != nil {
			return nil, errors.Join(errKeys, err)
		}
		if payload, ok := keys.verify(a.signed); ok {
			return payload, nil
		}
	}
	return nil, Wrong("the assertion is not signed with a key of the client")
}

// errKeys is for the log. Its cause may name addresses inside, so clients do not
// learn it.
var errKeys = errors.New("the keys of the client could not be loaded")

// Spend reports whether this is the first use of a claim that Check has returned.
func (k *Keeper) Spend(ctx context.Context, tx Store, c Claim) (bool, error) {
	return tx.SpendTicket(ctx, secret.Hash("openid assertion "+c.ClientID+" "+c.id), c.until)
}
