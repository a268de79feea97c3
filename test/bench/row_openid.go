package main

import (
	"context"
	"errors"
	"net/url"
)

// openIDFlow signs users of a session in to a client: a code, its tokens, UserInfo.
func openIDFlow(ctx context.Context, b *bench, e engine) ([]figure, error) {
	return b.issue(ctx, e, leastFlow, 1.5, func(i *installation, _ string) (work, error) {
		return i.flows(), nil
	})
}

// openIDRefresh exchanges refresh tokens, each of a grant of its own.
func openIDRefresh(ctx context.Context, b *bench, e engine) ([]figure, error) {
	return b.issue(ctx, e, leastRefresh, 0, func(i *installation, addr string) (work, error) {
		given, err := i.grants(addr, signers)
		if err != nil {
			return nil, err
		}
		held := make(chan string, signers)
		for _, t := range given {
			held <- t.Refresh
		}
		return func(c *conn) (bool, error) {
			t, err := product.exchange(c, url.Values{"grant_type": {"refresh_token"}, "refresh_token": {<-held}})
			held <- t.Refresh
			return true, err
		}, nil
	})
}

// grants returns the tokens of so many users.
func (i *installation) grants(addr string, count int) (given []tokens, err error) {
	c, err := dial(addr)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, c.Close()) }()
	for n := range min(count, i.sessions()) {
		t, err := product.tokens(c, sessionCookie+"="+token(n))
		if err != nil {
			return nil, err
		}
		given = append(given, t)
	}
	return given, nil
}

// issue lets the product take turns with the signatures and the writes of its work.
func (b *bench) issue(ctx context.Context, e engine, least string, aim float64, pieces func(i *installation, addr string) (work, error)) ([]figure, error) {
	i, server, err := b.issuing(ctx, e)
	if err != nil {
		return nil, err
	}
	defer server.stop()
	do, err := pieces(i, i.listen)
	if err != nil {
		return nil, err
	}
	other, err := b.installed(ctx, e, b.small+2) // of its own, because it only writes
	if err != nil {
		return nil, err
	}
	p, limit, err := b.turns(ctx, b.round, roleOpenID, least, other.database())
	if err != nil {
		return nil, err
	}
	defer p.stop()
	all, err := interleave(ctx, b.rounds, b.signers(server, i.listen, do), limit)
	if err != nil {
		return nil, err
	}
	cpu := costAgainst("its signatures and writes alone", all[0], all[1])
	cpu.aim = aim
	return []figure{cpu, rateAgainst(all[0], all[1])}, nil
}
