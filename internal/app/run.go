package app

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"net/http"
	"net/netip"
	"slices"
	"sync"
	"syscall"
	"time"

	"portico/internal/clock"
	"portico/internal/config"
	"portico/internal/fault"
	"portico/internal/outbox"
	"portico/internal/server"
	"portico/internal/session"
	"portico/internal/store"
	"portico/internal/systemd"
)

const (
	flushEvery = 30 * time.Second       // write last uses of sessions
	keysEvery  = 5 * time.Second        // read signing keys that other processes revoked or added
	followEach = 500 * time.Millisecond // read sessions that other processes ended
	homeEvery  = 500 * time.Millisecond // check whether the data was moved to another database
	drain      = time.Second            // for balancers to notice that this node stops
	grace      = 20 * time.Second       // for open requests after that
)

// Listeners are the listeners that Run serves. Ops and HTTP may be nil.
type Listeners struct {
	Public net.Listener
	Ops    net.Listener
	HTTP   net.Listener  // redirects to https
	Drain  time.Duration // how long Public still accepts once /readyz says that Run stops
}

// Listen opens the configured listeners. The caller must pass them to Run or
// close them.
func (a *App) Listen(ctx context.Context) (Listeners, error) { return listen(ctx, a.Config) }

// TryListen returns why Listen would fail. Serving calls it before it makes a database.
func TryListen(ctx context.Context, cfg config.Config) error {
	all, err := listen(ctx, cfg)
	return errors.Join(err, all.close())
}

func listen(ctx context.Context, cfg config.Config) (all Listeners, err error) {
	var lc net.ListenConfig
	all.Drain = drain
	for _, l := range []struct {
		to               *net.Listener
		address, setting string
	}{
		{&all.Public, cfg.Listen, "listen"},
		{&all.Ops, cfg.OpsListen, "ops_listen"},
		{&all.HTTP, cfg.TLS.HTTPListen, "tls.http_listen"},
	} {
		if l.to == &all.HTTP && (!cfg.TLS.On() || l.address == config.Off) {
			continue
		}
		if *l.to, err = lc.Listen(ctx, "tcp", l.address); err != nil {
			return Listeners{}, errors.Join(unheard(l.setting, l.address, err), all.close())
		}
	}
	return all, nil
}

// unheard says why the address of a setting cannot be listened on, and what to do.
func unheard(setting, address string, err error) error {
	do := "write an address of this machine"
	switch {
	case errors.Is(err, syscall.EADDRINUSE):
		do = "stop the program that uses it, or write another port"
	case errors.Is(err, fs.ErrPermission):
		do = "write a port from 1024 on, or permit lower ones as docs/operating/serving.md says"
	}
	if failed, ok := errors.AsType[*net.OpError](err); ok {
		err = failed.Err
	}
	return fmt.Errorf("%s: Portico cannot listen at %s (%w): %s", setting, address, err, do)
}

func (l Listeners) close() (err error) {
	for _, one := range []net.Listener{l.Public, l.Ops, l.HTTP} {
		if one != nil {
			err = errors.Join(err, one.Close())
		}
	}
	return err
}

// Claim reserves the database for this process, or returns store.ErrInUse. Run
// calls it too. Call it earlier to print something before Run only if Run can
// succeed.
func (a *App) Claim() (err error) {
	if a.claim == nil {
		a.claim, err = a.Store.Claim()
	}
	return err
}

// unclaim releases the claim.
func (a *App) unclaim() error {
	if a.claim == nil {
		return nil
	}
	err := a.claim.Close()
	a.claim = nil
	return err
}

// Run serves until ctx ends, then stops in order: readiness, new connections (after
// l.Drain), open requests, and emails that are being sent. It returns store.ErrMoved if
// the data was moved to another database.
func (a *App) Run(ctx context.Context, l Listeners) (err error) {
	if err := a.Claim(); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, a.unclaim()) }()
	ctx, leave := context.WithCancelCause(ctx)
	defer leave(nil)
	first := *a.live.Load()
	first.config = a.Config // tests set the port that they got
	if first.handlers, err = a.public(&first, handlers{}); err != nil {
		return err
	}
	a.report("read the signing keys", a.Operator.FollowKeys(ctx)) // on failure, the background work retries soon, and /readyz says so
	a.report("remove the remains of an interrupted move", a.Store.ForgetMove(ctx))
	a.report("tell whether the database was restored", a.noteLineage(ctx))
	if err := a.buildTLS(); err != nil {
		return err
	}
	background, stop := context.WithCancel(context.WithoutCancel(ctx))
	defer stop()
	var work sync.WaitGroup
	a.serving = background
	a.install(&first)
	a.startWork(background, &work)
	work.Go(func() {
		first.screens.Warm(background)
		if a.options.Warmed != nil {
			a.options.Warmed()
		}
	})
	work.Go(func() { a.watch(background) })
	work.Go(func() { a.obey(background) })
	if !a.Store.Shared() {
		work.Go(func() { every(background, homeEvery, func() { a.leaveHome(background, leave) }) })
	}
	work.Go(func() {
		select {
		case <-ctx.Done():
		case <-background.Done():
		}
		if ctx.Err() != nil { // both channels may be ready
			systemd.Stopping()
			a.live.Load().gateway.Drain(background)
		}
	})

	var servers sync.WaitGroup
	var publicErr, opsErr error
	if l.Ops != nil {
		servers.Go(func() {
			if opsErr = server.Serve(background, server.NewServer(a.operations(ctx), a.log), l.Ops, 0, time.Second); opsErr != nil {
				a.log.Error("the operations listener has ended", "error", opsErr)
			}
		})
	}
	a.startTLS(background, l, &work)
	limited := server.Limit(l.Public, a.trustedProxies)
	systemd.Ready(statusServing)
	publicErr = server.Serve(ctx, a.publicServer(), limited, l.Drain, grace)
	stop()
	work.Wait()
	a.finish()
	servers.Wait()
	return errors.Join(publicErr, opsErr, movedAway(ctx))
}

// ServeHTTP handles a request of the public listener with what serves now.
func (a *App) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	a.live.Load().handler.ServeHTTP(w, r)
}

func (a *App) trustedProxies() []netip.Prefix { return a.live.Load().config.TrustedProxies }

// obey reloads whenever the operator asks by a signal.
func (a *App) obey(ctx context.Context) {
	for {
		select {
		case <-ctx.Done():
			return
		case <-a.options.Hangup:
			a.Reload(ctx)
		}
	}
}

// finish ends reloading, and closes what serves.
func (a *App) finish() {
	a.reloading.Lock()
	defer a.reloading.Unlock()
	a.ended = true
	a.live.Load().close(nil)
}

// leaveHome stops serving when the data was moved to another database.
// Otherwise sessions that end there would stay valid here.
func (a *App) leaveHome(ctx context.Context, leave context.CancelCauseFunc) {
	if err := a.Store.CheckHome(ctx); errors.Is(err, store.ErrMoved) {
		a.log.Warn("the data was moved to another database: stopping")
		leave(err)
	}
}

// movedAway returns the error of leaveHome if that is why serving ended.
func movedAway(ctx context.Context) error {
	if err := context.Cause(ctx); errors.Is(err, store.ErrMoved) {
		return err
	}
	return nil
}

// startWork starts the background work.
func (a *App) startWork(ctx context.Context, work *sync.WaitGroup) {
	if a.Store.Shared() {
		a.startComparing(ctx, work)
	}
	a.startKey(ctx, work) // before anything seals
	work.Go(func() { a.events.Run(ctx) })
	for _, lane := range slices.Concat(a.mails, a.farewells) {
		work.Go(func() { lane.Run(ctx) })
	}
	a.repeat(ctx, work, flushEvery, "write the last uses of sessions", a.flushSessions)
	a.repeat(ctx, work, followEach, "read the sessions that other processes ended", a.follow)
	a.repeat(ctx, work, keysEvery, "read the signing keys", a.Operator.FollowKeys)
	drift := clock.NewDrift(a.clock.machine)
	work.Go(func() { every(ctx, driftEvery, func() { a.watchClock(drift) }) })
	a.startBackground(ctx, work, drift)
}

// repeat calls do periodically. It logs the first of repeated failures, and then the
// recovery. A panic is a failure too.
func (a *App) repeat(ctx context.Context, work *sync.WaitGroup, each time.Duration, what string, do func(context.Context) error) {
	work.Go(func() {
		failing := false
		every(ctx, each, func() {
			switch err := survived(ctx, do); {
			case err != nil && !failing:
				failing = true
				a.report(what, err)
			case err == nil && failing:
				failing = false
				a.log.Info("can " + what + " again")
			}
		})
	})
}

// survived turns a panic of do into an error. Otherwise the same row would end the process again after each restart.
func survived(ctx context.Context, do func(context.Context) error) (err error) {
	defer fault.Recover(&err)
	return do(ctx)
}

func (a *App) flushSessions(ctx context.Context) error {
	return a.Sessions.Flush(ctx, unit[session.Store]{a.Store, func(tx *store.Tx) session.Store { return tx }}.Write)
}

// follow retries a failed read once and soon, so that a broken connection delays neither
// the end of a session nor the messages to OpenID clients.
func (a *App) follow(ctx context.Context) error {
	look := func() error {
		return a.Store.Read(ctx, func(tx *store.Tx) error {
			news, err := a.Sessions.Follow(ctx, tx)
			if news {
				a.Outbox.Wake(outbox.Logouts) // a command has no runner
				a.Outbox.Wake(outbox.GuestLogouts)
			}
			return err
		})
	}
	err := look()
	if err == nil {
		return nil
	}
	select {
	case <-time.After(followEach / 5):
		return look()
	case <-ctx.Done():
		return err
	}
}

func (a *App) report(what string, err error) {
	if err != nil {
		a.log.Error("cannot "+what, "error", err)
	}
}

func every(ctx context.Context, d time.Duration, fn func()) {
	ticker := time.NewTicker(d)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
			fn()
		}
	}
}
