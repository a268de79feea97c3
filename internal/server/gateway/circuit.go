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
	// failuresUntilAsked is the number of consecutive unanswered requests after
	// which the watcher checks an app.
	failuresUntilAsked = 3

	// askTimeout is the time limit of a check of an app whose silence is limited.
	askTimeout = 1500 * time.Millisecond

	// patientBody is the size limit in bytes of a body whose request is
	// canceled when the app hangs. An app may be busy with a longer body.
	patientBody = 64 << 10
)

var errSilent = errors.New("it sends no responses")

// circuit is the circuit breaker of an app. While it is open, requests fail at
// once, and only the watcher calls the app.
//
// It opens if the app does not answer the watcher's own request. Failed
// requests of clients only start that check. Clients can make their requests
// fail, so they must not be able to open it for others.
type circuit struct {
	open       atomic.Pointer[fault.Error] // response while open; nil while closed
	answers    atomic.Uint64               // number of responses that have begun
	failures   atomic.Uint32               // consecutive
	unanswered atomic.Uint64
	asking     atomic.Bool

	// Used only by the watcher:
	seen   uint64 // value of answers in the last round
	silent int    // consecutive rounds with waiting requests and no response
}

// answered records that the app has begun a response.
func (c *circuit) answered() {
	c.answers.Add(1)
	if c.failures.Load() != 0 {
		c.failures.Store(0)
	}
}

// failed records a request without a response.
func (c *circuit) failed() {
	c.failures.Add(1)
	c.unanswered.Add(1)
}

// suspect reports whether to check the app. The watcher calls it once per
// round. asks is set in the rounds in which a known fault is checked. most is
// the number of silent rounds that the app may have; 0 means any number.
func (c *circuit) suspect(asks, waiting bool, most int) bool {
	answers := c.answers.Load()
	if waiting && answers == c.seen {
		c.silent++
	} else {
		c.silent = 0
	}
	c.seen = answers
	return asks && (c.open.Load() != nil || c.failures.Load() >= failuresUntilAsked) || most > 0 && c.silent >= most
}

// silentRounds returns the number of silent rounds after which to check an app,
// so that the result is known when Silence ends. The last response may have come
// just after a round, and the first request just before one, so the silence is
// up to a round longer or shorter than its rounds.
func (a *app) silentRounds() int {
	if a.Silence == 0 {
		return 0
	}
	return max(1, int((a.Silence-askTimeout)/watchEvery)-1)
}

// watchApps starts a check for each app that seems to be down, once per round.
func (g *Gateway) watchApps(ctx context.Context, asks bool, work *sync.WaitGroup) {
	waiting := g.open.waiting()
	for _, a := range g.apps {
		if a.Upstream != nil && a.circuit.suspect(asks, waiting[a.circuit], a.silentRounds()) && a.circuit.asking.CompareAndSwap(false, true) {
			work.Go(func() {
				defer a.circuit.asking.Store(false)
				g.ask(ctx, a)
			})
		}
	}
}

// ask checks an app and opens or closes its circuit.
func (g *Gateway) ask(ctx context.Context, a *app) {
	err := a.ask(ctx, a.proxy.Transport)
	switch {
	case err == nil:
		a.circuit.answered()
		if a.circuit.open.Swap(nil) != nil {
			g.Log.Info("an app responds again", "app", a.Name)
		}
		return
	case ctx.Err() != nil:
		return
	}
	f := a.unanswered(err)
	if a.circuit.open.Swap(f) == nil {
		g.Log.Warn("an app does not respond: visitors see an error page until it does", "app", a.Name, "error", err)
	}
	g.open.cut(a.circuit)
}

// Ask checks whether an app responds, as the watcher does. It returns nil for
// any response.
func Ask(ctx context.Context, a App) error {
	t := newTransport(a)
	defer t.CloseIdleConnections()
	return a.ask(ctx, t)
}

// ask sends a HEAD request. Any response counts.
func (a *App) ask(ctx context.Context, by http.RoundTripper) error {
	limit := askTimeout
	if a.Silence == 0 {
		limit = a.Timeout
	}
	ctx, cancel := context.WithTimeout(ctx, limit)
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
	_, _ = io.CopyN(io.Discard, answer.Body, 1) // a response to HEAD has no body
	return answer.Body.Close()
}

// unanswered returns the fault for a request that the app did not answer.
func (a *app) unanswered(err error) *fault.Error {
	f := server.AppDown
	var timeout interface{ Timeout() bool }
	switch {
	case errors.Is(err, errSilent) || errors.As(err, &timeout) && timeout.Timeout():
		f = server.AppSlow
	case a.NameUpstream:
		f = f.WithParams(map[string]string{"upstream": a.Upstream.Host})
	}
	return f.WithCause(errors.Join(errors.New("app "+a.Name), err))
}

// AppStats are the statistics of an app with an upstream.
type AppStats struct {
	Name       string
	Up         bool
	Unanswered uint64 // requests without a response
}

// Apps returns the statistics of all apps with an upstream.
func (g *Gateway) Apps() []AppStats {
	var list []AppStats
	for _, a := range g.apps {
		if a.Upstream != nil {
			list = append(list, AppStats{a.Name, a.circuit.open.Load() == nil, a.circuit.unanswered.Load()})
		}
	}
	return list
}
