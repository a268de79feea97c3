package main

import (
	"context"
)

const signers = 16 // connections of the rows that hash

// signIn signs everybody in, one after the other.
func signIn(ctx context.Context, b *bench, e engine) ([]figure, error) {
	return b.hashes(ctx, e, 1.8, func(i *installation, server *process) side {
		return func(ctx context.Context, _ int) (reading, error) {
			return drive(ctx, server, i.listen, signers, b.round, func(c *conn) (bool, error) {
				a, err := c.do(i.signIn(i.next()))
				if err != nil {
					return false, err
				}
				return true, a.want(200)
			})
		}
	})
}

// hashes lets the product and the raw hashes take turns. Work is the side of
// the product.
func (b *bench) hashes(ctx context.Context, e engine, aim float64, work func(*installation, *process) side) ([]figure, error) {
	i, err := b.installed(ctx, e, b.small)
	if err != nil {
		return nil, err
	}
	server, err := i.serve(ctx)
	if err != nil {
		return nil, err
	}
	defer server.stop()
	plain, plainly, err := b.hashing(ctx, hashPlain)
	if err != nil {
		return nil, err
	}
	defer plain.stop()
	ours, ourWay, err := b.hashing(ctx, hashOurs)
	if err != nil {
		return nil, err
	}
	defer ours.stop()
	all, err := interleave(ctx, b.rounds, work(i, server), plainly, ourWay)
	if err != nil {
		return nil, err
	}
	rate := perSecond(values(all[0], rateOf))
	return []figure{
		{name: "rate, against x/crypto", product: rate, limit: perSecond(values(all[1], rateOf)),
			value: ratios(all[0], all[1], rateOf), aim: aim, atLeast: true},
		{name: "rate, against our own hash", product: rate, limit: perSecond(values(all[2], rateOf)),
			value: ratios(all[0], all[2], rateOf), aim: 0.95, atLeast: true},
	}, nil
}
