package server

import (
	"context"
	"net"
	"net/http"
	"sync"
	"time"
)

// drain lets clients close their connections when the server stops. Shutdown
// alone closes idle connections, and loses a request that is already on its
// way.
type drain struct {
	mu    sync.Mutex
	open  int
	empty chan struct{} // closed when the last connection ends after wait began; nil before
}

// newDrain makes the server send "Connection: close" with each response once
// ctx is done.
func newDrain(ctx context.Context, s *http.Server) *drain {
	d := &drain{}
	s.ConnState = func(_ net.Conn, state http.ConnState) { d.count(state) }
	next := s.Handler
	s.Handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if ctx.Err() != nil {
			w.Header().Set("Connection", "close")
		}
		next.ServeHTTP(w, r)
	})
	return d
}

func (d *drain) count(state http.ConnState) {
	d.mu.Lock()
	defer d.mu.Unlock()
	switch state {
	case http.StateNew:
		d.open++
	case http.StateClosed, http.StateHijacked:
		if d.open--; d.open == 0 && d.empty != nil {
			close(d.empty)
			d.empty = nil
		}
	}
}

// wait returns when all connections are closed, or after limit.
func (d *drain) wait(limit time.Duration) {
	d.mu.Lock()
	empty := make(chan struct{})
	if d.open == 0 {
		close(empty)
	} else {
		d.empty = empty
	}
	d.mu.Unlock()
	timer := time.NewTimer(limit)
	defer timer.Stop()
	select {
	case <-empty:
	case <-timer.C:
	}
}
