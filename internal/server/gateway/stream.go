package gateway

import (
	"context"
	"errors"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	"portico/internal/clock"
	"portico/internal/rule"
	"portico/internal/server"
	"portico/internal/session"
)

// watchEvery is how often the sessions of open requests are checked. A node
// learns within half a second that another node ended a session, so a stream
// ends within a second of its session.
const watchEvery = 250 * time.Millisecond

const (
	askEvery  = time.Second // interval of the check of access tokens, and of apps that are known not to respond
	tidyEvery = time.Minute // interval of the cleanup of cached identities
)

// lookFor is how long one round may read sessions. What is left has a turn in a later round, since
// each round has another order.
const lookFor = time.Second

// goodByes is how long both ends of a WebSocket may take to close it when
// Portico stops.
const goodByes = 2 * time.Second

// passing is an open request to an app.
type passing struct {
	w   http.ResponseWriter
	app *app
	shown
	asked   *ask
	ruledBy *Gateway  // whose rules the need is from
	need    rule.Need // what holds as long as the request is open
	denied  bool      // no rule allows the request anymore, or the app takes no such token
	endless bool      // a WebSocket or an event stream, which does not end by itself
	socket  *tunnel   // for a WebSocket only
	told    bool      // a WebSocket to which the Close frame was sent
	cancel  func()    // cancels the request where an expired read deadline may cancel nothing: by HTTP/2, or with a long body; else nil

	writes  atomic.Uint32 // writes to the client begun and ended: odd during one, except for a WebSocket
	writing stall         // of writes
	body    *body         // a long body; else nil
	reading stall         // of its reads
	ended   bool          // by end

	brief bool         // its body is too short to keep the app busy
	stage atomic.Int32 // waits, answered or cut
}

// The stages of a request: it waits until the app begins its response, or until
// the watcher cuts it because the app hangs.
const (
	waits int32 = iota
	answered
	cut
)

// stall measures how long a counter stands still, by the looks of the watcher.
type stall struct {
	count uint32
	lasts time.Duration
}

// reaches reports whether the counter has stood still for the limit, with what has passed since the last look. One
// look counts as a sixth of the limit at most: the clock may have been set.
func (s *stall) reaches(limit time.Duration, count uint32, passed time.Duration) bool {
	if count != s.count {
		*s = stall{count: count}
		return false
	}
	s.lasts += max(0, min(passed, limit/6))
	return s.lasts > limit
}

// end ends the client's connection and the request on it, also while the app
// does not read. Call it only while the request is open, because the connection
// may serve another one later.
func (p *passing) end() {
	p.ended = true
	if p.cancel != nil {
		p.cancel()
	}
	if p.socket != nil {
		go p.socket.app.Close() // may wait for a TLS alert to be written
	}
	c, past := http.NewResponseController(p.w), time.Unix(1, 0)
	_ = c.SetReadDeadline(past) // fails only if the connection is closed
	_ = c.SetWriteDeadline(past)
}

// stalled reports whether the client has taken nothing of a write for server.StallTimeout. A stream that has nothing to
// write may last.
func (p *passing) stalled(passed time.Duration) bool {
	writes := p.writes.Load()
	if p.socket != nil {
		writes = p.socket.down.writes.Load()
	}
	return writes%2 == 1 && p.writing.reaches(server.StallTimeout, writes, passed)
}

// unread reports whether the app has taken nothing of a long body for App.Timeout. net/http measures that time only from
// the end of a body.
func (p *passing) unread(passed time.Duration) bool {
	if p.body == nil || p.stage.Load() != waits {
		return false
	}
	reads := p.body.reads.Load()
	return reads%2 == 0 && p.reading.reaches(p.app.Timeout, reads, passed)
}

// giveUp ends the wait for the app. An expired read deadline makes net/http
// cancel the request as if the client had gone; the response can still be
// written.
func (p *passing) giveUp() {
	switch {
	case !p.stage.CompareAndSwap(waits, cut):
	case p.cancel != nil:
		p.cancel()
	default:
		_ = http.NewResponseController(p.w).SetReadDeadline(time.Unix(1, 0))
	}
}

// leave ends a request. For a WebSocket, the first call sends a Close frame to
// both ends. Any other call ends the connection at once.
func (p *passing) leave(code uint16, reason string) {
	if p.socket == nil || p.told {
		p.end()
		return
	}
	p.told = true
	p.socket.leave(code, reason)
}

// open is the set of open requests. It is safe for concurrent use.
type open struct {
	mu       sync.Mutex
	passing  map[*passing]struct{}
	looked   time.Time // by the watcher
	draining bool
	empty    chan struct{} // closed when the last request ends while draining
}

func newOpen() *open { return &open{passing: make(map[*passing]struct{})} }

func (o *open) add(p *passing) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.passing[p] = struct{}{}
}

// remove also limits the time for the rest of the response, unless end has.
func (o *open) remove(p *passing) {
	o.mu.Lock()
	delete(o.passing, p)
	if len(o.passing) == 0 && o.empty != nil {
		close(o.empty)
		o.empty = nil
	}
	o.mu.Unlock()
	if !p.ended { // which nobody changes any more
		server.Hurried(p.w)
	}
}

// found replaces what a request shows of its user.
func (o *open) found(p *passing, s shown) {
	o.mu.Lock()
	defer o.mu.Unlock()
	p.shown = s
}

// lasts marks a request that does not end by itself. socket is nil unless it is
// a WebSocket.
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

// endEndless ends WebSockets and event streams.
func (o *open) endEndless() {
	o.mu.Lock()
	defer o.mu.Unlock()
	for p := range o.passing {
		if p.endless {
			p.leave(closeGoingAway, "stopping")
		}
	}
}

// waiting returns the circuits of apps that a brief request waits for.
func (o *open) waiting() map[*circuit]bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	apps := make(map[*circuit]bool)
	for p := range o.passing {
		if p.brief && p.stage.Load() == waits {
			apps[p.app.circuit] = true
		}
	}
	return apps
}

// cut gives up brief requests that wait for an app.
func (o *open) cut(c *circuit) {
	o.mu.Lock()
	defer o.mu.Unlock()
	for p := range o.passing {
		if p.app.circuit == c && p.brief {
			p.giveUp()
		}
	}
}

// stopReading stops reading from the client if the request is open.
func (o *open) stopReading(p *passing) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if _, is := o.passing[p]; is {
		_ = http.NewResponseController(p.w).SetReadDeadline(time.Unix(1, 0)) // fails only if the connection is closed
	}
}

// watched is an open request, with what it shows of its user and what its rule needs now.
type watched struct {
	*passing
	shown
	need   rule.Need
	denied bool
}

// watched returns the open requests, and ends those whose client or app reads nothing. It applies the present rules to
// each request that a gateway of former settings has let pass.
func (g *Gateway) watched() []watched {
	g.open.mu.Lock()
	defer g.open.mu.Unlock()
	all, now := make([]watched, 0, len(g.open.passing)), g.Clock.Now()
	passed := now.Sub(g.open.looked)
	g.open.looked = now
	for p := range g.open.passing {
		if p.stalled(passed) {
			p.end()
		}
		if p.unread(passed) {
			p.giveUp()
		}
		if p.ruledBy != g {
			a, matched, err := g.route(p.asked)
			p.ruledBy, p.need, p.denied = g, matched.Need, err != nil || !p.takenBy(a, p.app)
		}
		all = append(all, watched{p, p.shown, p.need, p.denied})
	}
	return all
}

// allows reports whether the rule of an open request still allows it to a user, nil for none.
func (w watched) allows(who *rule.User, now time.Time) bool {
	return !w.denied && w.need.Lasting().Judge(who, now) == rule.Pass
}

// Watch runs until ctx is done. It ends open requests whose session has ended
// or whose rule does not allow the user anymore. It also checks apps that do not
// respond, and removes old identities from caches.
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
		asks := rounds%int(askEvery/watchEvery) == 0
		g.look(ctx, seen, asks)
		g.watchApps(ctx, asks, &work)
		if rounds%int(tidyEvery/watchEvery) == 0 {
			for _, a := range g.apps {
				a.forget(g.Clock.Now())
			}
		}
	}
}

// look is the current state of a session.
type look struct {
	person rule.User
	err    error
}

// look checks each session of an open request once. The check does not count as
// a use of the session, and usually reads only the cache. An access token may
// cost a read of the database, and counts only if tokens is set. seen is empty before
// and after; it is reused to avoid an allocation.
func (g *Gateway) look(ctx context.Context, seen map[string]look, tokens bool) {
	defer clear(seen)
	began := clock.Here()
	for _, p := range g.watched() {
		if p.token == "" && !p.allows(nil, g.Clock.Now()) {
			g.open.end(p.passing, closeForbidden, rule.CodeDenied)
		}
		if p.token == "" || p.resource != "" && !tokens {
			continue
		}
		r, ok := seen[p.token]
		if !ok && (ctx.Err() != nil || began.Age() > lookFor) {
			continue // while a database hangs, apps are checked all the same, and a shutdown goes on
		}
		if !ok {
			found, err := g.find(ctx, p.shown, p.app, false)
			r = look{*personOf(found), err}
			seen[p.token] = r
		}
		switch {
		case errors.Is(r.err, session.Required):
			g.open.end(p.passing, closeSignedOut, session.CodeEnded)
		case r.err == nil && !p.allows(&r.person, g.Clock.Now()): // if the database is down, nothing that was allowed is ended
			g.open.end(p.passing, closeForbidden, rule.CodeDenied)
		}
	}
}

// Drain asks WebSockets to close, and ends them after goodByes. It ends event
// streams at once, and waits for other requests until ctx is done.
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
