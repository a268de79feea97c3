package main

import (
	"context"
	"sync"
)

const (
	signers   = 16 // connections of the rows that hash
	returning = 64 // users who sign in again and again
)

// signIn signs in users of known browsers, and users of new browsers, whose
// owners are told by email.
func signIn(ctx context.Context, b *bench, e engine) ([]figure, error) {
	all, err := b.hashes(ctx, e, func(i *installation, server *process) []side {
		return []side{
			b.signers(server, i.listen, i.comeBack()),
			b.signers(server, i.listen, func(c *conn) (bool, error) {
				a, err := c.do(i.signIn(i.next(), ""))
				if err != nil {
					return false, err
				}
				return true, a.want(200)
			}),
		}
	})
	if err != nil {
		return nil, err
	}
	return []figure{
		all.against(hashPlain, "rate, against x/crypto", 0, vectorAim()),
		all.against(hashOurs, "rate, against our own hash", 0, 0.95),
		all.against(hashOurs, "in new browsers, with a mail", 1, 0),
		all.cpu("server CPU, the hash of all", 0),
	}, nil
}

// vectorAim is the aim against x/crypto, which uses vectors of 128 bits. The
// possible gain of our hash depends on the widest vectors of the processor.
func vectorAim() float64 {
	switch vectors() {
	case "AVX-512":
		return 1.8
	case "AVX2":
		return 1.2
	}
	return 0
}

// comeBack signs a few users in, each in one browser. In the turn that does not
// count, their accounts learn the browser.
func (i *installation) comeBack() work {
	var mu sync.Mutex
	cookies := map[int]string{}
	return func(c *conn) (bool, error) {
		n := i.next() % returning
		mu.Lock()
		cookie := cookies[n]
		mu.Unlock()
		a, err := c.do(i.signIn(n, cookie))
		if err != nil {
			return false, err
		}
		mu.Lock()
		cookies[n] = deviceCookie + "=" + a.device
		mu.Unlock()
		return true, a.want(200)
	}
}

// signers is a side that keeps the connections of a hashing row busy.
func (b *bench) signers(server *process, addr string, do work) side {
	return func(ctx context.Context, _ int) (reading, error) {
		return drive(ctx, server, addr, b.hands, b.round, do)
	}
}

// hashed are the readings of the product's sides and of the raw hashes.
type hashed struct {
	product [][]reading
	raw     map[string][]reading
}

// hashes lets sides of the product take turns with the raw hashes.
func (b *bench) hashes(ctx context.Context, e engine, product func(*installation, *process) []side) (hashed, error) {
	i, err := b.installed(ctx, e, b.small)
	if err != nil {
		return hashed{}, err
	}
	server, err := i.serve(ctx)
	if err != nil {
		return hashed{}, err
	}
	defer server.stop()
	sides, ways := product(i, server), []string{hashPlain, hashOurs}
	for _, way := range ways {
		p, hash, err := b.turns(ctx, b.round, roleHash, way)
		if err != nil {
			return hashed{}, err
		}
		defer p.stop()
		sides = append(sides, hash)
	}
	all, err := interleave(ctx, b.rounds, sides...)
	if err != nil {
		return hashed{}, err
	}
	own := len(sides) - len(ways)
	return hashed{all[:own], map[string][]reading{ways[0]: all[own], ways[1]: all[own+1]}}, nil
}

// against compares the rate of a side of the product with a raw hash.
func (h hashed) against(way, name string, product int, aim float64) figure {
	return figure{
		name: name, product: perSecond(values(h.product[product], rateOf)), limit: perSecond(values(h.raw[way], rateOf)),
		value: ratios(h.product[product], h.raw[way], rateOf), aim: aim, atLeast: true,
	}
}

// cpu returns the part of the product's processor time that the hash takes.
// Other programs affect it least.
func (h hashed) cpu(name string, product int) figure {
	raw := h.raw[hashOurs]
	return figure{
		name: name, product: micros(values(h.product[product], cpuOf)), limit: micros(values(raw, cpuOf)),
		value: ratios(raw, h.product[product], cpuOf),
	}
}
