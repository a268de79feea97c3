package main

import (
	"context"
	"net/url"
	"sync/atomic"
)

// openIDTokens lets clients ask about access tokens, by introspection and at UserInfo.
// The limit is the product's own check of as many sessions.
func openIDTokens(ctx context.Context, b *bench, e engine) ([]figure, error) {
	i, server, err := b.issuing(ctx, e)
	if err != nil {
		return nil, err
	}
	defer server.stop()
	given, err := i.grants(i.listen, hotVisitors)
	if err != nil {
		return nil, err
	}
	var checks, infos, introspections [][]byte
	for n, t := range given {
		checks, infos = append(checks, check(n)), append(infos, product.claims(t.Access))
		introspections = append(introspections, product.post(benchClient, introspectPath, url.Values{"token": {t.Access}}))
	}
	all, err := interleave(ctx, b.rounds, b.asking(server, i.listen, introspections), b.asking(server, i.listen, infos), b.asking(server, i.listen, checks))
	if err != nil {
		return nil, err
	}
	var figures []figure
	for n, name := range []string{"introspection", "UserInfo"} {
		f := rateAgainst(all[n], all[2])
		f.name = name + ", " + f.name
		cpu := figure{
			name: name + ", server CPU of the session check, of its own", product: micros(values(all[n], cpuOf)), limit: micros(values(all[2], cpuOf)),
			value: ratios(all[2], all[n], cpuOf), atLeast: true,
		}
		if n == 0 {
			cpu.aim = 0.7
		}
		figures = append(figures, cpu, f)
	}
	return figures, nil
}

// asking is a side that sends the requests in turn, on the connections of the session
// rows.
func (b *bench) asking(server *process, addr string, requests [][]byte) side {
	var asked atomic.Int64
	return func(ctx context.Context, _ int) (reading, error) {
		return drive(ctx, server, addr, checkers, b.round, func(c *conn) (bool, error) {
			a, err := c.do(requests[int(asked.Add(1)-1)%len(requests)])
			if err != nil {
				return false, err
			}
			return true, a.want(200)
		})
	}
}

// openIDDocuments serves what every client fetches first, against a handler that has
// the same answers in a map.
func openIDDocuments(ctx context.Context, b *bench, e engine) ([]figure, error) {
	i, server, err := b.issuing(ctx, e)
	if err != nil {
		return nil, err
	}
	defer server.stop()
	var figures []figure
	for _, path := range []string{"/.well-known/openid-configuration", "/.well-known/jwks.json"} {
		stored, err := i.fetch(ctx, path)
		if err != nil {
			return nil, err
		}
		limit, addr, err := b.static(ctx, []page{stored})
		if err != nil {
			return nil, err
		}
		defer limit.stop()
		requests := [][]byte{get(path, "")}
		all, err := interleave(ctx, b.rounds, b.asking(server, i.listen, requests), b.asking(limit, addr, requests))
		if err != nil {
			return nil, err
		}
		cpu, rate := costAgainst("the same bytes from a map", all[0], all[1]), rateAgainst(all[0], all[1])
		cpu.name, rate.name = path+", "+cpu.name, path+", "+rate.name
		figures = append(figures, cpu, rate)
	}
	return figures, nil
}
