package main

import (
	"context"
	"strconv"
	"sync/atomic"
	"time"
)

const checkers = 64 // connections of the session rows

// sessionHot checks sessions that the cache holds.
func sessionHot(ctx context.Context, b *bench, e engine) ([]figure, error) {
	i, err := b.installed(ctx, e, b.small)
	if err != nil {
		return nil, err
	}
	requests := make([][]byte, i.sessions())
	for n := range requests {
		requests[n] = check(n)
	}
	return b.hot(ctx, i, requests, roleSession, strconv.Itoa(len(requests)))
}

// hot sends the requests in turn. Each is sent once before it counts.
func (b *bench) hot(ctx context.Context, i *installation, requests [][]byte, role string, args ...string) ([]figure, error) {
	return b.sessions(ctx, i, judgeCPU, func(server *process, addr string, _ int) side {
		return func(ctx context.Context, turn int) (reading, error) {
			var asked atomic.Int64
			length := b.round
			if turn == 0 {
				length = time.Minute // the turn that does not count checks every session once
			}
			return drive(ctx, server, addr, checkers, length, func(c *conn) (bool, error) {
				n := int(asked.Add(1)) - 1
				if turn == 0 && n >= len(requests) {
					return false, errEnough
				}
				a, err := c.do(requests[n%len(requests)])
				if err != nil {
					return false, err
				}
				return true, a.want(200)
			})
		}
	}, role, args...)
}

// sessionCold checks every session once in a run of the server.
func sessionCold(ctx context.Context, b *bench, e engine) ([]figure, error) {
	i, err := b.installed(ctx, e, e.large(b.scale))
	if err != nil {
		return nil, err
	}
	slice := i.sessions() / 2 / (b.rounds + 1)
	return b.sessions(ctx, i, judgeRate, func(server *process, addr string, half int) side {
		return func(ctx context.Context, turn int) (reading, error) {
			var asked atomic.Int64
			return drive(ctx, server, addr, checkers, b.round, func(c *conn) (bool, error) {
				n := int(asked.Add(1)) - 1
				if n >= slice {
					return false, errEnough
				}
				a, err := c.do(check((2*turn+half)*slice + n))
				if err != nil {
					return false, err
				}
				return true, a.want(200)
			})
		}
	}, roleRead, e.name(), i.url)
}

// judged selects the figure of a row that has an aim.
type judged int

const (
	judgeCPU  judged = iota // the load generator shares the cores, so a rate hides half of the server's cost
	judgeRate               // the server waits for its database, which processor time does not show
)

// sessions lets the product and a limit take turns at session checks.
func (b *bench) sessions(ctx context.Context, i *installation, by judged, ask func(server *process, addr string, half int) side, role string, args ...string) ([]figure, error) {
	server, err := i.serve(ctx)
	if err != nil {
		return nil, err
	}
	defer server.stop()
	limit, addr, err := b.limit(ctx, role, args...)
	if err != nil {
		return nil, err
	}
	defer limit.stop()
	all, err := interleave(ctx, b.rounds, ask(server, i.listen, 0), ask(limit, addr, 1))
	if err != nil {
		return nil, err
	}
	cpu, rate := costAgainst("the bare handler's", all[0], all[1]), rateAgainst(all[0], all[1])
	if by == judgeCPU {
		cpu.aim = 1.4
	} else {
		rate.aim = 0.7
	}
	return []figure{cpu, rate}, nil
}
