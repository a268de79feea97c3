package main

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"time"
)

// work does one piece of work on the connection and reports whether it counts.
type work func(c *conn) (counts bool, err error)

// errEnough ends a drive early without a failure.
var errEnough = errors.New("there is no more work")

// drive keeps so many connections busy for d, each with one piece of work after
// the other: a closed loop. Started work is finished, and the rate is over the
// whole time. If a server is given, the processor time is the server's.
func drive(ctx context.Context, server *process, addr string, connections int, d time.Duration, do work) (reading, error) {
	conns, err := dialAll(addr, connections)
	if err != nil {
		return reading{}, err
	}
	defer closeAll(conns)
	before, err := server.cpu()
	if err != nil {
		return reading{}, err
	}
	var count atomic.Int64
	began := time.Now()
	err = together(conns, func(c *conn) error {
		n := int64(0)
		defer func() { count.Add(n) }()
		for ctx.Err() == nil && time.Since(began) < d {
			counts, err := do(c)
			if err != nil {
				return err
			}
			if counts {
				n++
			}
		}
		return ctx.Err()
	})
	took := time.Since(began)
	if err != nil {
		return reading{}, err
	}
	after, err := server.cpu()
	if err != nil || count.Load() == 0 {
		return reading{}, errors.Join(err, errors.New("nothing was done"))
	}
	return reading{rate: float64(count.Load()) / took.Seconds(), cpu: (after - before) / time.Duration(count.Load())}, nil
}

// arrive starts so many pieces of work a second for d, without waiting for
// earlier ones: an open loop. The time of a piece counts from its planned
// start, so a stalled server cannot hide the wait that it caused.
func arrive(ctx context.Context, addr string, connections int, rate float64, d time.Duration, do work) ([]time.Duration, error) {
	conns, err := dialAll(addr, connections)
	if err != nil {
		return nil, err
	}
	defer closeAll(conns)
	var mu sync.Mutex
	var times []time.Duration
	var next atomic.Int64
	began, pause := time.Now(), time.Duration(float64(time.Second)/rate)
	err = together(conns, func(c *conn) error {
		for ctx.Err() == nil {
			planned := time.Duration(next.Add(1)-1) * pause
			if planned >= d {
				return nil
			}
			time.Sleep(planned - time.Since(began))
			counts, err := do(c)
			if err != nil {
				return err
			}
			if counts {
				mu.Lock()
				times = append(times, time.Since(began)-planned)
				mu.Unlock()
			}
		}
		return ctx.Err()
	})
	return times, err
}

// together runs fn for every connection at the same time and returns the first
// error.
func together(conns []*conn, fn func(*conn) error) error {
	errs := make(chan error, len(conns))
	var all sync.WaitGroup
	for _, c := range conns {
		all.Go(func() {
			if err := fn(c); err != nil && !errors.Is(err, errEnough) {
				errs <- err
			}
		})
	}
	all.Wait()
	close(errs)
	return <-errs
}

func dialAll(addr string, n int) ([]*conn, error) {
	conns := make([]*conn, 0, n)
	for range n {
		c, err := dial(addr)
		if err != nil {
			closeAll(conns)
			return nil, err
		}
		conns = append(conns, c)
	}
	return conns, nil
}

func closeAll(conns []*conn) {
	for _, c := range conns {
		_ = c.Close()
	}
}
