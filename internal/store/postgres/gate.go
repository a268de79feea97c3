package postgres

import (
	"context"
	"errors"
	"net"
	"sync"
	"time"

	"github.com/jackc/pgx/v5/pgconn"
)

var errResting = errors.New("the database did not take the last connection: the next is tried within a second")

// gate keeps a database that is down from being flooded when it comes back:
// while connections fail, one a second is tried.
type gate struct {
	mu      sync.Mutex
	failing bool
	last    error     // of the last that failed
	since   time.Time // when the first was begun that has not succeeded; zero when none
	next    time.Time // not before, while they fail
}

// enter asks for leave to connect.
func (g *gate) enter() error {
	g.mu.Lock()
	defer g.mu.Unlock()
	now := time.Now()
	if g.since.IsZero() {
		g.since = now
	}
	// One that hangs is one that fails: nobody may be left to say so.
	failing := g.failing || now.Sub(g.since) > 2*time.Second
	if failing && now.Before(g.next) {
		return errors.Join(errResting, g.last)
	}
	g.next = now.Add(time.Second)
	return nil
}

// dial is how the driver makes connections. One that broke the driver calls off
// by another, also before it was a connection: while none succeed, that would
// be two a second. It is known by its time-out, which is longer than ours.
func (g *gate) dial(next pgconn.DialFunc) pgconn.DialFunc {
	return func(ctx context.Context, network, address string) (net.Conn, error) {
		if deadline, ok := ctx.Deadline(); ok && time.Until(deadline) > connectIn && g.trying() {
			return nil, errResting
		}
		return next(ctx, network, address)
	}
}

// trying reports whether no connection has succeeded since one was begun.
func (g *gate) trying() bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	return !g.since.IsZero()
}

func (g *gate) failed(err error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.failing, g.last = true, err
}

func (g *gate) succeeded() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.failing, g.last, g.since = false, nil, time.Time{}
}
