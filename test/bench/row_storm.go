package main

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"sync/atomic"
	"time"
)

const (
	probes   = 20 // session checks a second during the storm
	probers  = 8  // connections for them
	stormFor = 3  // rounds of one turn of the storm: longer than the queue
)

// storm is too many sign-ins, with session checks of signed-in users at the same time.
func storm(ctx context.Context, b *bench, e engine) ([]figure, error) {
	bare, addr, err := b.limit(ctx, roleSession, strconv.Itoa(b.small))
	if err != nil {
		return nil, err
	}
	defer bare.stop()
	hasher, hash, err := b.turns(ctx, stormFor*b.round, roleHash, hashPlain)
	if err != nil {
		return nil, err
	}
	defer hasher.stop()
	var waits, bareWaits []time.Duration
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
		}, func(ctx context.Context, turn int) (reading, error) {
			asked := i.probe(ctx, addr)
			r, err := hash(ctx, turn)
			beside := <-asked
			if turn > 0 {
				bareWaits = append(bareWaits, beside.waits...)
			}
			return r, errors.Join(err, beside.err)
		}}
	})
	if err != nil {
		return nil, err
	}
	return []figure{
		all.against(hashPlain, "rate, against x/crypto", 0, 0.9),
		waitsAgainst(fmt.Sprintf("session check beside it, p99 of %d", len(waits)), waits, bareWaits),
		{name: fmt.Sprintf("peak memory; %d were shed with 503 and Retry-After", shed),
			value: spreadOf([]float64{peak}), unit: "MiB", aim: 200},
	}, nil
}

// weather is one turn of the storm. It returns its rate, the waits of the
// session checks, and the number of sign-ins that got 503 with Retry-After. Any
// other answer is an error.
func (i *installation) weather(ctx context.Context, server *process) (r reading, waits []time.Duration, refused int, err error) {
	length := stormFor * i.round
	asked := i.probe(ctx, i.listen)
	var shed atomic.Int64
	r, err = drive(ctx, server, i.listen, i.crowd, length, func(c *conn) (bool, error) {
		a, err := c.do(i.signIn(i.next(), ""))
		if err != nil {
			return false, err
		}
		if a.status == 503 && a.retryAfter > 0 {
			shed.Add(1)
			time.Sleep(time.Duration(a.retryAfter) * time.Second) // as the answer asked
			return false, nil
		}
		return true, a.want(200)
	})
	beside := <-asked
	return r, beside.waits, int(shed.Load()), errors.Join(err, beside.err)
}

// probed are the times of the session checks during a storm.
type probed struct {
	waits []time.Duration
	err   error
}

// probe checks sessions during a turn of the storm.
func (i *installation) probe(ctx context.Context, addr string) <-chan probed {
	done := make(chan probed, 1)
	go func() {
		waits, err := arrive(ctx, addr, probers, probes, stormFor*i.round, func(c *conn) (bool, error) {
			a, err := c.do(check(i.next() % i.sessions()))
			if err != nil {
				return false, err
			}
			return true, a.want(200)
		})
		done <- probed{waits, err}
	}()
	return done
}

// waitsAgainst compares the slowest checks of the product with the checks of a
// bare handler. The checks of all turns count together, because one turn has
// too few.
func waitsAgainst(name string, product, bare []time.Duration) figure {
	ours, theirs := reading{wait: percentile(product, 99)}, reading{wait: percentile(bare, 99)}
	return figure{
		name: name, product: millis(values([]reading{ours}, waitOf)), limit: millis(values([]reading{theirs}, waitOf)),
		value: ratios([]reading{ours}, []reading{theirs}, waitOf), aim: 1.5,
	}
}
