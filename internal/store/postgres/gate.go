package postgres

import (
	"context"
	"errors"
	"net"
	"sync"
	"time"

	"github.com/jackc/pgx/v5/pgconn"
)

var errResting = errors.New("the database refused the last connection: Portico tries again within a second")

// gate keeps nodes from flooding a database that comes back. While connections
// fail, it allows one attempt per second.
type gate struct {
	mu      sync.Mutex
	failing bool
	last    error     // the last failure
	since   time.Time // start of the oldest connection attempt since the last success; zero when there is none
	next    time.Time // while connections fail, none is tried before this time
}

// enter asks for permission to connect.
func (g *gate) enter() error {
	g.mu.Lock()
	defer g.mu.Unlock()
	now := time.Now()
	if g.since.IsZero() {
		g.since = now
	}
	// Treat a hanging attempt as failed: its caller may already be gone.
	failing := g.failing || now.Sub(g.since) > 2*time.Second
	if failing && now.Before(g.next) {
		return errors.Join(errResting, g.last)
	}
	g.next = now.Add(time.Second)
	return nil
}

// dial makes the driver's connections. pgx opens a second connection to send a
// cancel request, even for a connection that was never made. While connections
// fail that would double their number, so dial refuses it. It recognizes a
// cancel request by its deadline, which is longer than ours.
func (g *gate) dial(next pgconn.DialFunc) pgconn.DialFunc {
	return func(ctx context.Context, network, address string) (net.Conn, error) {
		if deadline, ok := ctx.Deadline(); ok && time.Until(deadline) > connectIn && g.trying() {
			return nil, errResting
		}
		return next(ctx, network, address)
	}
}

// trying reports whether no connection has succeeded since the oldest attempt.
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
