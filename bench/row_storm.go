package main

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"time"
)

const (
	probes   = 20 // session checks a second beside them
	probers  = 8  // connections for them
	stormFor = 3  // rounds that a turn of the storm lasts: longer than the queue
)

// storm is too many sign-ins, and people who are signed in already.
func storm(ctx context.Context, b *bench, e engine) ([]figure, error) {
	var waits []time.Duration
	var shed int
	var peak float64
	all, err := b.hashes(ctx, e, func(i *installation, server *process) []side {
		return []side{func(ctx context.Context, turn int) (reading, error) {
			r, times, refused, err := i.weather(ctx, server)
			if err != nil {
				return r, err
			}
			if turn > 0 {
				waits = append(waits, times...)
			}
			shed += refused
			peak, err = server.memory("VmHWM")
			return r, err
		}}
	})
	if err != nil {
		return nil, err
	}
	return []figure{
		all.against(hashPlain, "rate, against x/crypto", 0, 0.9),
		{name: fmt.Sprintf("session check beside it, p99 of %d", len(waits)),
			value: spreadOf([]float64{waitOf(reading{wait: percentile(waits, 99)})}), unit: "ms", aim: 50},
		{name: fmt.Sprintf("peak memory; %d were shed with 503 and Retry-After", shed),
			value: spreadOf([]float64{peak}), unit: "MiB", aim: 200},
	}, nil
}

// weather is one turn of the storm: its rate, how long the session checks
// waited, and how many sign-ins were refused with 503 and Retry-After. Any
// other answer is an error.
func (i *installation) weather(ctx context.Context, server *process) (r reading, waits []time.Duration, refused int, err error) {
	length := stormFor * i.round
	probed := make(chan error, 1)
	go func() {
		var failed error
		waits, failed = arrive(ctx, i.listen, probers, probes, length, func(c *conn) (bool, error) {
			a, err := c.do(check(i.next() % i.sessions()))
			if err != nil {
				return false, err
			}
			return true, a.want(200)
		})
		probed <- failed
	}()
	var shed atomic.Int64
	r, err = drive(ctx, server, i.listen, i.crowd, length, func(c *conn) (bool, error) {
		a, err := c.do(i.signIn(i.next(), ""))
		if err != nil {
			return false, err
		}
		if a.status == 503 && a.retryAfter > 0 {
			shed.Add(1)
			time.Sleep(time.Duration(a.retryAfter) * time.Second) // as it was told
			return false, nil
		}
		return true, a.want(200)
	})
	return r, waits, int(shed.Load()), errors.Join(err, <-probed)
}
