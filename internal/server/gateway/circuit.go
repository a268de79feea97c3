package gateway

import (
	"context"
	"errors"
	"io"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	"portico/internal/fault"
	"portico/internal/server"
)

const (
	// failuresUntilAsked is how many requests in a row an app fails to answer
	// until the watcher asks it by itself.
	failuresUntilAsked = 3

	// askTimeout is how long the app has to answer the watcher.
	askTimeout = 1500 * time.Millisecond

	// patientBody is the longest body of a request whose wait is ended when the
	// app hangs. With a longer one it may be at work on the body.
	patientBody = 64 << 10
)

var errSilent = errors.New("it answers nothing at all")

// circuit is what is known of whether an app answers. While it is open, requests
// for the app are answered by us, at once, and only the watcher asks the app.
//
// What opens it is that the app leaves the watcher's own request unanswered.
// Requests that fail are the reason to ask, and no more: clients can make theirs
// fail and must not be able to close an app to others.
type circuit struct {
	open       atomic.Pointer[fault.Error] // what requests are answered with, nil while it is closed
	answers    atomic.Uint64               // that have begun
	failures   atomic.Uint32               // in a row
	unanswered atomic.Uint64
	asking     atomic.Bool

	// Of the watcher alone:
	seen   uint64 // answers
	silent int    // rounds in which requests waited and none was answered
}

// answered notes that the app has begun to answer.
func (c *circuit) answered() {
	c.answers.Add(1)
	if c.failures.Load() != 0 {
		c.failures.Store(0)
	}
}

// failed notes a request that is not answered.
func (c *circuit) failed() {
	c.failures.Add(1)
	c.unanswered.Add(1)
}

// suspect reports, once a round, whether the app should be asked. Most is in how
// many rounds it may answer nothing, 0 for any number.
func (c *circuit) suspect(waiting bool, most int) bool {
	answers := c.answers.Load()
	if waiting && answers == c.seen {
		c.silent++
	} else {
		c.silent = 0
	}
	c.seen = answers
	return c.open.Load() != nil || c.failures.Load() >= failuresUntilAsked || most > 0 && c.silent >= most
}

// silentRounds is after how many rounds of the watcher an app is asked, so that
// it is known to hang when its silence has lasted for as long as it may.
func (a *app) silentRounds() int {
	if a.Silence == 0 {
		return 0
	}
	return max(1, int((a.Silence-askTimeout)/askEvery)-1)
}

// watchApps asks those that seem not to answer, each in its own time.
func (g *Gateway) watchApps(ctx context.Context, work *sync.WaitGroup) {
	waiting := g.open.waiting()
	for _, a := range g.apps {
		if a.Upstream != nil && a.circuit.suspect(waiting[a], a.silentRounds()) && a.circuit.asking.CompareAndSwap(false, true) {
			work.Go(func() {
				defer a.circuit.asking.Store(false)
				g.ask(ctx, a)
			})
		}
	}
}

// ask opens or closes the circuit of an app by whether it answers.
func (g *Gateway) ask(ctx context.Context, a *app) {
	err := a.ask(ctx, a.proxy.Transport)
	switch {
	case err == nil:
		a.circuit.answered()
		if a.circuit.open.Swap(nil) != nil {
			g.log.Info("an app answers again", "app", a.Name)
		}
		return
	case ctx.Err() != nil:
		return
	}
	f := a.unanswered(err)
	if a.circuit.open.Swap(f) == nil {
		g.log.Warn("an app does not answer: people see a page that says so until it does", "app", a.Name, "error", err)
	}
	g.open.cut(a)
}

// Ask finds out whether an app answers, as the watcher does.
func Ask(ctx context.Context, a App) error {
	t := newTransport(a)
	defer t.CloseIdleConnections()
	return a.ask(ctx, t)
}

// ask sends a request of our own. Any answer will do.
func (a *App) ask(ctx context.Context, by http.RoundTripper) error {
	ctx, cancel := context.WithTimeout(ctx, askTimeout)
	defer cancel()
	r, err := http.NewRequestWithContext(ctx, http.MethodHead, a.Upstream.String()+a.Site.Path, nil)
	if err != nil {
		return err
	}
	r.Host = a.Site.Host
	r.Header.Set("User-Agent", "Portico")
	answer, err := by.RoundTrip(r)
	if err != nil {
		return err
	}
	_, _ = io.CopyN(io.Discard, answer.Body, 1) // a HEAD has none
	return answer.Body.Close()
}

// unanswered returns what a request is answered with in place of the app.
func (a *app) unanswered(err error) *fault.Error {
	f := server.AppDown
	var timeout interface{ Timeout() bool }
	if errors.Is(err, errSilent) || errors.As(err, &timeout) && timeout.Timeout() {
		f = server.AppSlow
	}
	return f.WithCause(errors.Join(errors.New("app "+a.Name), err))
}

// AppStats are the figures of an app that we forward to.
type AppStats struct {
	Name       string
	Up         bool
	Unanswered uint64 // requests that the app did not answer
}

// Apps returns the figures of each.
func (g *Gateway) Apps() []AppStats {
	var list []AppStats
	for _, a := range g.apps {
		if a.Upstream != nil {
			list = append(list, AppStats{a.Name, a.circuit.open.Load() == nil, a.circuit.unanswered.Load()})
		}
	}
	return list
}
