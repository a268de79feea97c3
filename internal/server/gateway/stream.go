package gateway

import (
	"context"
	"errors"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	"portico/internal/rule"
	"portico/internal/session"
)

// watchEvery is how often the sessions of open requests are looked at. With the
// half second in which a node feels what another one has ended, a stream ends
// within a second of its session.
const watchEvery = 250 * time.Millisecond

const (
	askEvery  = time.Second // apps that seem not to answer
	tidyEvery = time.Minute // what is kept of apps
)

// goodByes is how long both ends of a WebSocket have for their good-byes when
// Portico stops.
const goodByes = 2 * time.Second

// passing is a request that is open between a client and an app.
type passing struct {
	w       http.ResponseWriter
	app     *app
	token   string // of the session, "" for nobody
	need    rule.Need
	endless bool    // a WebSocket or an event stream: it does not end by itself
	socket  *tunnel // of a WebSocket
	told    bool    // a WebSocket that was told to go

	brief bool         // its body is so short that the app cannot be at work on it for long
	stage atomic.Int32 // waits, answered or cut
}

// What becomes of a request that is passed on: it waits until the app begins to
// answer, or until we know that it will not.
const (
	waits int32 = iota
	answered
	cut
)

// end ends the connection of the client, and thereby whatever is under way on
// it. It is called while the request is known to be open: later, the connection
// may serve another one.
func (p *passing) end() {
	c, past := http.NewResponseController(p.w), time.Unix(1, 0)
	_ = c.SetReadDeadline(past) // fails only when the connection is gone
	_ = c.SetWriteDeadline(past)
}

// leave ends a WebSocket with a word to both ends, and when it is called again,
// or for anything else, at once.
func (p *passing) leave(code uint16, reason string) {
	if p.socket == nil || p.told {
		p.end()
		return
	}
	p.told = true
	p.socket.leave(code, reason)
}

// open are all of them.
type open struct {
	mu       sync.Mutex
	passing  map[*passing]struct{}
	draining bool
	empty    chan struct{} // closed when the last one ends while draining
}

func newOpen() *open { return &open{passing: make(map[*passing]struct{})} }

func (o *open) add(p *passing) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.passing[p] = struct{}{}
}

func (o *open) remove(p *passing) {
	o.mu.Lock()
	defer o.mu.Unlock()
	delete(o.passing, p)
	if len(o.passing) == 0 && o.empty != nil {
		close(o.empty)
		o.empty = nil
	}
}

// lasts marks a request as one that does not end by itself. Socket is nil for
// what is no WebSocket.
func (o *open) lasts(p *passing, socket *tunnel) {
	o.mu.Lock()
	defer o.mu.Unlock()
	p.endless, p.socket = true, socket
	if o.draining {
		p.end()
	}
}

// end ends a request if it is still open.
func (o *open) end(p *passing, code uint16, reason string) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if _, is := o.passing[p]; is {
		p.leave(code, reason)
	}
}

// endEndless ends what does not end by itself.
func (o *open) endEndless() {
	o.mu.Lock()
	defer o.mu.Unlock()
	for p := range o.passing {
		if p.endless {
			p.leave(closeGoingAway, "stopping")
		}
	}
}

// waiting returns the apps for whose answer a brief request waits.
func (o *open) waiting() map[*app]bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	apps := make(map[*app]bool)
	for p := range o.passing {
		if p.brief && p.stage.Load() == waits {
			apps[p.app] = true
		}
	}
	return apps
}

// cut ends the wait of the brief requests for an app. To net/http the client
// seems to be gone, which cancels the request; its answer can still be written.
func (o *open) cut(a *app) {
	o.mu.Lock()
	defer o.mu.Unlock()
	for p := range o.passing {
		if p.app == a && p.brief && p.stage.CompareAndSwap(waits, cut) {
			_ = http.NewResponseController(p.w).SetReadDeadline(time.Unix(1, 0))
		}
	}
}

// stopReading ends the wait for what the client sends, if the request is open.
func (o *open) stopReading(p *passing) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if _, is := o.passing[p]; is {
		_ = http.NewResponseController(p.w).SetReadDeadline(time.Unix(1, 0)) // fails only when the connection is gone
	}
}

func (o *open) list() []*passing {
	o.mu.Lock()
	defer o.mu.Unlock()
	all := make([]*passing, 0, len(o.passing))
	for p := range o.passing {
		all = append(all, p)
	}
	return all
}

// Count returns how many requests are open to apps.
func (g *Gateway) Count() int {
	g.open.mu.Lock()
	defer g.open.mu.Unlock()
	return len(g.open.passing)
}

// Watch ends the open requests whose session ends, or whose person loses the
// role that let it pass, and looks after apps that do not answer, until ctx is
// done.
func (g *Gateway) Watch(ctx context.Context) {
	var work sync.WaitGroup
	defer work.Wait()
	ticker := time.NewTicker(watchEvery)
	defer ticker.Stop()
	seen := make(map[string]look)
	for rounds := 0; ; rounds++ {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
		}
		g.look(ctx, seen)
		if rounds%int(askEvery/watchEvery) == 0 {
			g.watchApps(ctx, &work)
		}
		if rounds%int(tidyEvery/watchEvery) == 0 {
			for _, a := range g.apps {
				a.forget(g.clock.Now())
			}
		}
	}
}

// look is what is known of a session now.
type look struct {
	person rule.Person
	err    error
}

// look asks once for each session. It is no use of it, and one that is in memory
// costs no read of the database. Seen is empty before and after: its room is
// used again, for thousands of sessions are looked at several times a second.
func (g *Gateway) look(ctx context.Context, seen map[string]look) {
	defer clear(seen)
	for _, p := range g.open.list() {
		if p.token == "" {
			continue
		}
		r, ok := seen[p.token]
		if !ok {
			found, err := g.desk.Flows.PeekSession(ctx, p.token)
			r = look{*personOf(found), err}
			seen[p.token] = r
		}
		switch {
		case errors.Is(r.err, session.Required):
			g.open.end(p, closeSignedOut, session.CodeEnded)
		case r.err == nil && p.need.Lasting().Judge(&r.person, g.clock.Now()) != rule.Pass: // a database that is away ends nothing that was allowed
			g.open.end(p, closeForbidden, rule.CodeDenied)
		}
	}
}

// Drain tells WebSockets to go and ends them a little later, ends what else does
// not end by itself, and waits for the rest until ctx is done.
func (g *Gateway) Drain(ctx context.Context) {
	empty := make(chan struct{})
	g.open.mu.Lock()
	g.open.draining = true
	if len(g.open.passing) == 0 {
		close(empty)
	} else {
		g.open.empty = empty
	}
	g.open.mu.Unlock()
	g.open.endEndless()
	select {
	case <-empty:
	case <-time.After(goodByes):
		g.open.endEndless()
	}
	select {
	case <-empty:
	case <-ctx.Done():
	}
}
