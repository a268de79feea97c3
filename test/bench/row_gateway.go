package main

import (
	"context"
	"sync/atomic"
	"time"
)

// hotVisitors are few enough that the gateway knows them after the first turn.
const hotVisitors = 500

// gateway forwards requests of signed-in users to an app, on many connections
// and on one.
func gateway(ctx context.Context, b *bench, e engine) ([]figure, error) {
	i, server, app, stop, err := b.behind(ctx, e)
	if err != nil {
		return nil, err
	}
	defer stop()
	bare, bareAddr, err := b.limit(ctx, roleProxy, app)
	if err != nil {
		return nil, err
	}
	defer bare.stop()
	requests := make([][]byte, min(hotVisitors, i.sessions()))
	for n := range requests {
		requests[n] = get("/page?x=1", sessionCookie+"="+token(n))
	}
	peers, err := b.peers(ctx, app)
	if err != nil {
		return nil, err
	}
	sides := []side{b.passing(server, i.listen, checkers, requests), b.passing(bare, bareAddr, checkers, requests)}
	for _, p := range peers {
		defer p.stop()
		sides = append(sides, b.passing(p.process, p.addr, checkers, requests))
	}
	many, err := interleave(ctx, b.rounds, sides...)
	if err != nil {
		return nil, err
	}
	one, err := interleave(ctx, b.rounds, b.passing(server, i.listen, 1, requests[:1]), b.passing(bare, bareAddr, 1, requests[:1]))
	if err != nil {
		return nil, err
	}
	figures := []figure{
		{
			name: "throughput", product: perSecond(values(many[0], rateOf)), limit: perSecond(values(many[1], rateOf)),
			value: ratios(many[0], many[1], rateOf), aim: 0.85, atLeast: true,
		},
		{
			name: "server CPU", product: micros(values(many[0], cpuOf)), limit: micros(values(many[1], cpuOf)),
			value: ratios(many[0], many[1], cpuOf), aim: 1.4,
		},
		{
			name: "median on one connection", product: millis(values(one[0], waitOf)), limit: millis(values(one[1], waitOf)),
			value: ratios(one[0], one[1], waitOf), aim: 1.5,
		},
	}
	for n, p := range peers {
		figures = append(figures, figure{
			name: "throughput against " + p.name, product: perSecond(values(many[0], rateOf)), limit: perSecond(values(many[2+n], rateOf)),
			value: ratios(many[0], many[2+n], rateOf), aim: p.aim, atLeast: true,
		})
	}
	return figures, nil
}

// behind starts an app and the product in front of it.
func (b *bench) behind(ctx context.Context, e engine) (i *installation, server *process, app string, stop func(), err error) {
	if i, err = b.installed(ctx, e, b.small); err != nil {
		return nil, nil, "", nil, err
	}
	upstream, app, err := b.limit(ctx, roleApp)
	if err != nil {
		return nil, nil, "", nil, err
	}
	i.upstream = "http://" + app
	defer func() { i.upstream = "" }()
	if server, err = i.serve(ctx); err != nil {
		upstream.stop()
		return nil, nil, "", nil, err
	}
	return i, server, app, func() {
		server.stop()
		upstream.stop()
	}, nil
}

// passing is a side that requests the app's page. Its wait is the median.
func (b *bench) passing(server *process, addr string, connections int, requests [][]byte) side {
	var turn atomic.Int64
	return func(ctx context.Context, _ int) (reading, error) {
		var times []time.Duration
		r, err := drive(ctx, server, addr, connections, b.round, func(c *conn) (bool, error) {
			began := time.Now()
			a, err := c.do(requests[int(turn.Add(1))%len(requests)])
			if err != nil {
				return false, err
			}
			if connections == 1 {
				times = append(times, time.Since(began))
			}
			return true, a.want(200)
		})
		r.wait = percentile(times, 50)
		return r, err
	}
}
