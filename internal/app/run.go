package app

import (
	"context"
	"errors"
	"fmt"
	"net"
	"runtime/debug"
	"sync"
	"time"

	"portico/internal/clock"
	"portico/internal/server"
	"portico/internal/session"
	"portico/internal/store"
)

const (
	flushEvery = 30 * time.Second       // last uses of sessions, to the database
	keysEvery  = 5 * time.Second        // signing keys that other processes have revoked or added
	followEach = 500 * time.Millisecond // sessions that other processes have ended
	homeEvery  = 500 * time.Millisecond // whether the data is still in this database
	drain      = time.Second            // for clients to end their connections when stopping
	grace      = 20 * time.Second       // for requests under way after that
)

// Listeners are where Run waits for connections. Ops may be nil.
type Listeners struct {
	Public net.Listener
	Ops    net.Listener
}

// Listen opens the configured listeners.
func (a *App) Listen(ctx context.Context) (Listeners, error) {
	var lc net.ListenConfig
	public, err := lc.Listen(ctx, "tcp", a.Config.Listen)
	if err != nil {
		return Listeners{}, fmt.Errorf("listen: %w", err)
	}
	ops, err := lc.Listen(ctx, "tcp", a.Config.OpsListen)
	if err != nil {
		_ = public.Close()
		return Listeners{}, fmt.Errorf("listen for operations: %w", err)
	}
	return Listeners{Public: public, Ops: ops}, nil
}

// Claim makes this process the one that serves the database, or returns
// store.ErrInUse. Run does it too; who says something before it runs does it
// first.
func (a *App) Claim() (err error) {
	if a.claim == nil {
		a.claim, err = a.Store.Claim()
	}
	return err
}

// unclaim gives back what Claim has taken.
func (a *App) unclaim() error {
	if a.claim == nil {
		return nil
	}
	err := a.claim.Close()
	a.claim = nil
	return err
}

// Run serves until ctx ends, then stops in order: readiness first, then
// connections, requests under way, and mail under way.
func (a *App) Run(ctx context.Context, l Listeners) (err error) {
	if err := a.Claim(); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, a.unclaim()) }()
	ctx, leave := context.WithCancelCause(ctx)
	defer leave(nil)
	public, err := a.public()
	if err != nil {
		return err
	}
	a.report("read the signing keys", a.Flows.FollowKeys(ctx)) // a database that is away comes back, and is asked again soon
	a.report("put away what a move has left that was interrupted", a.Store.ForgetMove(ctx))
	background, stop := context.WithCancel(context.WithoutCancel(ctx))
	defer stop()
	var work sync.WaitGroup
	a.startWork(background, &work)
	work.Go(func() {
		public.screens.Warm(background)
		// Starting leaves tens of megabytes behind: parsed migrations, compressed
		// screens. An idle process would hold them for minutes.
		debug.FreeOSMemory()
	})
	work.Go(func() { public.gateway.Watch(background) })
	if !a.Store.Shared() {
		work.Go(func() { every(background, homeEvery, func() { a.leaveHome(background, leave) }) })
	}
	work.Go(func() {
		select {
		case <-ctx.Done():
		case <-background.Done():
		}
		if ctx.Err() != nil { // also when both are done
			public.gateway.Drain(background)
		}
	})

	var servers sync.WaitGroup
	var publicErr, opsErr error
	if l.Ops != nil {
		servers.Go(func() {
			if opsErr = server.Serve(background, server.NewServer(a.operations(ctx, public), a.log), l.Ops, 0, time.Second); opsErr != nil {
				a.log.Error("the operations listener has ended", "error", opsErr)
			}
		})
	}
	limited := server.Limit(l.Public, a.Config.TrustedProxies)
	publicErr = server.Serve(ctx, server.NewServer(public.handler, a.log), limited, drain, grace)
	stop()
	work.Wait()
	public.gateway.Close()
	if a.Mailer != nil {
		a.Mailer.Close()
	}
	servers.Wait()
	return errors.Join(publicErr, opsErr, movedAway(ctx))
}

// leaveHome ends serving when the data has moved to another database: sessions
// that are ended there must not live on in this process.
func (a *App) leaveHome(ctx context.Context, leave context.CancelCauseFunc) {
	if err := a.Store.CheckHome(ctx); errors.Is(err, store.ErrMoved) {
		a.log.Warn("the data was moved to another database: stopping")
		leave(err)
	}
}

// movedAway returns the error of leaveHome when it is why serving has ended.
func movedAway(ctx context.Context) error {
	if err := context.Cause(ctx); errors.Is(err, store.ErrMoved) {
		return err
	}
	return nil
}

// startWork starts what runs beside requests.
func (a *App) startWork(ctx context.Context, work *sync.WaitGroup) {
	if a.runner != nil {
		a.report("compare the clocks", a.compareClocks(ctx)) // before a mail is claimed
		work.Go(func() { a.runner.Run(ctx) })
	}
	a.repeat(ctx, work, flushEvery, "keep the last uses of sessions", a.flushSessions)
	a.repeat(ctx, work, followEach, "follow what other processes end", a.follow)
	a.repeat(ctx, work, keysEvery, "follow the signing keys", a.Flows.FollowKeys)
	drift := clock.NewDrift(a.clock)
	work.Go(func() { every(ctx, driftEvery, func() { a.watch(drift) }) })
	a.startTidying(ctx, work, drift)
	if a.Store.Shared() {
		a.startComparing(ctx, work)
	}
}

// repeat does something again and again. Of a failure that lasts, as when the
// database is away, its beginning and its end are logged.
func (a *App) repeat(ctx context.Context, work *sync.WaitGroup, each time.Duration, what string, do func(context.Context) error) {
	work.Go(func() {
		failing := false
		every(ctx, each, func() {
			switch err := do(ctx); {
			case err != nil && !failing:
				failing = true
				a.report(what, err)
			case err == nil && failing:
				failing = false
				a.log.Info("it works again to " + what)
			}
		})
	})
}

func (a *App) flushSessions(ctx context.Context) error {
	return a.Sessions.Flush(ctx, unit[session.Store]{a.Store, func(tx *store.Tx) session.Store { return tx }}.Write)
}

// follow looks a second time soon when a look fails: a connection that broke is
// no reason to feel an end later.
func (a *App) follow(ctx context.Context) error {
	look := func() error {
		return a.Store.Read(ctx, func(tx *store.Tx) error { return a.Sessions.Follow(ctx, tx) })
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
