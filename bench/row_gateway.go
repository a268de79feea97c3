package main

import (
	"context"
	"sync/atomic"
	"time"
)

// hotVisitors are few enough to be known to the gateway after the first turn.
const hotVisitors = 500

// gateway passes requests of people who are signed in on to an app, on many
// connections and on one.
func gateway(ctx context.Context, b *bench, e engine) ([]figure, error) {
	i, err := b.installed(ctx, e, b.small)
	if err != nil {
		return nil, err
	}
	app, addr, err := b.limit(ctx, roleApp)
	if err != nil {
		return nil, err
	}
	defer app.stop()
	i.upstream = "http://" + addr
	defer func() { i.upstream = "" }()
	server, err := i.serve(ctx)
	if err != nil {
		return nil, err
	}
	defer server.stop()
	bare, bareAddr, err := b.limit(ctx, roleProxy, addr)
	if err != nil {
		return nil, err
	}
	defer bare.stop()
	requests := make([][]byte, min(hotVisitors, i.sessions()))
	for n := range requests {
		requests[n] = get("/page?x=1", sessionCookie+"="+token(n))
	}
	many, err := interleave(ctx, b.rounds, b.passing(server, i.listen, checkers, requests), b.passing(bare, bareAddr, checkers, requests))
	if err != nil {
		return nil, err
	}
	one, err := interleave(ctx, b.rounds, b.passing(server, i.listen, 1, requests[:1]), b.passing(bare, bareAddr, 1, requests[:1]))
	if err != nil {
		return nil, err
	}
	var added []float64
	for n := range one[0] {
		added = append(added, float64(max(0, one[0][n].wait-one[1][n].wait))/float64(time.Microsecond))
	}
	return []figure{
		{
			name: "throughput", product: perSecond(values(many[0], rateOf)), limit: perSecond(values(many[1], rateOf)),
			value: ratios(many[0], many[1], rateOf), aim: 0.95, atLeast: true,
		},
		{
			name: "server CPU", product: micros(values(many[0], cpuOf)), limit: micros(values(many[1], cpuOf)),
			value: ratios(many[0], many[1], cpuOf), aim: 1.1,
		},
		{
			name: "added to the median on one connection", product: millis(values(one[0], waitOf)), limit: millis(values(one[1], waitOf)),
			value: spreadOf(added), unit: "µs", aim: 50,
		},
	}, nil
}

// passing is a side that asks for the app's page; its wait is the median.
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
