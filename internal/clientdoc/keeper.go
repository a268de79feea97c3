package clientdoc

import (
	"context"
	"errors"
	"fmt"
	"net"
	"sync"
	"time"

	"portico/internal/clock"
	"portico/internal/egress"
)

const (
	// maxBytes is the size limit of a document, as the draft proposes.
	maxBytes = 5 << 10

	timeout  = 5 * time.Second
	keepFor  = 5 * time.Minute
	maxKept  = 500
	maxLoads = 16
)

// Config of a Keeper.
type Config struct {
	Clock clock.Clock

	// Origins are the only ones whose documents count. They may be in a private
	// network, and then http. Without any, every public https origin counts.
	Origins []string

	// Self is the origin of Portico itself, whose documents never count. Empty if it is not known.
	Self string

	Egress egress.Config // proxy and authorities; the Keeper sets the rest
}

// Keeper loads and keeps documents. It is safe for concurrent use.
type Keeper struct {
	clock   clock.Clock
	client  *egress.Client
	origins []string
	self    string
	turns   chan struct{} // holds one element for each load that runs

	mu   sync.Mutex // guards kept
	kept map[string]document
}

// withdrawn is why a document does not count, whoever asks for it again.
type withdrawn struct{ error }

func (w withdrawn) Unwrap() error { return w.error }

// Withdrawn reports whether an error of Load says that the app publishes no such document any
// more. Any other error may pass.
func Withdrawn(err error) bool {
	_, ok := errors.AsType[withdrawn](err)
	return ok
}

// final reports whether a load has found that there is no document. A name that does not exist is like one whose
// address the guard refuses: otherwise a stranger could tell which names exist inside.
func final(err error) bool {
	lookup, ok := errors.AsType[*net.DNSError](err)
	return errors.Is(err, egress.ErrGone) || errors.Is(err, egress.ErrRefused) || ok && lookup.IsNotFound
}

type document struct {
	text   []byte
	loaded time.Time
}

// over reports whether the document counts no more. One from the future does not: after the clock was set back, it
// would count for longer.
func (d document) over(now time.Time) bool {
	return d.loaded.After(now) || now.Sub(d.loaded) >= keepFor
}

// New returns a Keeper, or an error that names the malformed origin.
func New(c Config) (*Keeper, error) {
	c.Egress.Allow, c.Egress.Timeout, c.Egress.MaxBytes = c.Origins, timeout, maxBytes
	client, err := egress.New(c.Egress)
	if err != nil {
		return nil, err
	}
	return &Keeper{clock: c.Clock, client: client, origins: c.Origins, self: c.Self, turns: make(chan struct{}, maxLoads), kept: map[string]document{}}, nil
}

// Close closes idle connections.
func (k *Keeper) Close() { k.client.Close() }

// Kept returns a document that was loaded a short time ago.
func (k *Keeper) Kept(address string) ([]byte, bool) {
	k.mu.Lock()
	defer k.mu.Unlock()
	d, ok := k.kept[address]
	if !ok || d.over(k.clock.Now()) {
		return nil, false
	}
	return d.text, true
}

// Load returns a document. It loads the document unless it is kept, and keeps it if
// check finds nothing wrong.
func (k *Keeper) Load(ctx context.Context, address string, check func(text []byte) error) ([]byte, error) {
	if !k.Counts(address) {
		return nil, withdrawn{errors.New("it is not an address of a document")}
	}
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	select {
	case k.turns <- struct{}{}:
		defer func() { <-k.turns }()
	case <-ctx.Done():
		return nil, fmt.Errorf("too many documents are being loaded at the moment: %w", ctx.Err())
	}
	if text, ok := k.Kept(address); ok {
		return text, nil // another caller has loaded it meanwhile
	}
	text, err := k.client.GetJSON(ctx, address)
	if final(err) {
		err = withdrawn{err}
	} else if err == nil {
		if wrong := check(text); wrong != nil {
			err = withdrawn{wrong}
		}
	}
	if err != nil {
		return nil, fmt.Errorf("load %s: %w", address, err)
	}
	k.keep(address, text)
	return text, nil
}

// keep stores a document. When there are too many, it removes the expired
// ones, or all of them.
func (k *Keeper) keep(address string, text []byte) {
	k.mu.Lock()
	defer k.mu.Unlock()
	now := k.clock.Now()
	if len(k.kept) >= maxKept {
		for other, d := range k.kept {
			if d.over(now) {
				delete(k.kept, other)
			}
		}
	}
	if len(k.kept) >= maxKept {
		clear(k.kept)
	}
	k.kept[address] = document{text, now}
}
