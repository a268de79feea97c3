package app

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"time"

	"portico/internal/clock"
	"portico/internal/config"
	"portico/internal/server"
	"portico/internal/server/ops"
	"portico/internal/store"
	"portico/internal/systemd"
)

// awaitEach is the time between attempts to reach the database server.
const awaitEach = time.Second

// Await calls New until the database server answers or ctx ends. It returns
// errors that waiting cannot resolve at once.
//
// Portico and its database server may start at the same time, and a supervisor
// gives up a process that exits too often. Therefore Await keeps the process
// running, and /readyz answers 503 meanwhile.
func Await(ctx context.Context, cfg config.Config, options Options) (*App, error) {
	a, err := attempt(ctx, cfg, options)
	if !store.ComesBack(err) {
		return a, err
	}
	began, last := clock.Here(), err
	options.Log.Warn("the database does not answer: waiting for it", "error", err)
	systemd.Ready("waiting for the database") // a limit for the start would end the wait
	end, err := notReady(ctx, cfg, options)
	if err != nil {
		return nil, err
	}
	defer end()
	ticker := time.NewTicker(awaitEach)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return nil, fmt.Errorf("%w while waiting for the database: %w", ctx.Err(), last)
		case <-ticker.C:
		}
		a, err := attempt(ctx, cfg, options)
		switch {
		case err == nil:
			options.Log.Info("the database answers", "waited", began.Age().Round(time.Millisecond).String())
			return a, nil
		case ctx.Err() == nil && !store.ComesBack(err):
			return nil, err
		}
		last = err
	}
}

// attempt calls store.Reach before New, because Reach stops when ctx ends and
// New does not.
func attempt(ctx context.Context, cfg config.Config, options Options) (*App, error) {
	if err := store.Reach(ctx, cfg.DatabaseURL); err != nil {
		return nil, err
	}
	return New(ctx, cfg, options)
}

// notReady answers on the operations listener until end is called. end frees
// the port.
func notReady(ctx context.Context, cfg config.Config, options Options) (end func(), err error) {
	l, err := new(net.ListenConfig).Listen(ctx, "tcp", cfg.OpsListen)
	if err != nil {
		return nil, unheard("ops_listen", cfg.OpsListen, err)
	}
	s := server.NewServer(ops.New(ops.Config{
		Stopping: func() bool { return ctx.Err() != nil },
		Ping:     func(context.Context) error { return errWaiting },
		Metrics:  http.HandlerFunc(noFigures),
	}), options.Log)
	serving, cancel := context.WithCancel(context.WithoutCancel(ctx))
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		if err := server.Serve(serving, s, l, 0, time.Second); err != nil {
			options.Log.Error("the operations listener has ended", "error", err)
		}
	}()
	return func() { cancel(); <-ended }, nil
}

var errWaiting = errors.New("waiting for the database")

func noFigures(w http.ResponseWriter, _ *http.Request) {
	http.Error(w, errWaiting.Error(), http.StatusServiceUnavailable)
}
