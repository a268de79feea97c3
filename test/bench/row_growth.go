package main

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// steady is a light load whose times are compared.
type steady struct {
	name    string
	rate    float64 // at most
	request func(*installation) []byte
}

func steadies() []steady {
	return []steady{
		{"session check, p99", 400, func(i *installation) []byte { return check(i.next() % i.sessions()) }},
		{"sign-in, p99", 32, func(i *installation) []byte { return i.signIn(i.next(), "") }},
		{"forgot password, p99", 40, func(i *installation) []byte {
			return i.post("forgot-password", "", map[string]string{"email": address(i.next())})
		}},
	}
}

const (
	growthFor = 3 // rounds of one turn, so that a percentile has enough samples
	growers   = 8 // connections of each side
)

// growth compares a large installation with a small one. The hash of a sign-in
// costs the same on both and only adds noise, so it is not compared.
func growth(ctx context.Context, b *bench, e engine) (figures []figure, err error) {
	var sides []*installation
	for _, count := range []int{b.small, e.large(b.scale)} {
		i, err := b.installed(ctx, e, count)
		if err != nil {
			return nil, err
		}
		p, err := i.serve(ctx)
		if err != nil {
			return nil, err
		}
		defer p.stop()
		sides = append(sides, i)
	}
	small, large := sides[0], sides[1]
	for _, s := range steadies() {
		if s.rate, err = small.light(s); err != nil {
			return nil, err
		}
		all, err := abreast(ctx, b.rounds, large.steadily(s), small.steadily(s))
		if err != nil {
			return nil, err
		}
		figures = append(figures, figure{
			name:    fmt.Sprintf("%s, %d people against %d", s.name, large.people, small.people),
			product: millis(values(all[0], waitOf)), limit: millis(values(all[1], waitOf)),
			value: ratios(all[0], all[1], waitOf), aim: 1.5,
		})
	}
	return figures, nil
}

// light returns the rate of s, or a lower one that keeps a quarter of two cores busy when both sides have it.
func (i *installation) light(s steady) (float64, error) {
	c, err := dial(i.listen)
	if err != nil {
		return 0, err
	}
	defer c.Close()
	const tries = 20
	began := time.Now()
	for range tries {
		a, err := c.do(s.request(i))
		if err == nil {
			err = a.want(200)
		}
		if err != nil {
			return 0, err
		}
	}
	return min(s.rate, tries/(4*time.Since(began).Seconds())), nil
}

func (i *installation) steadily(s steady) side {
	return func(ctx context.Context, _ int) (reading, error) {
		times, err := arrive(ctx, i.listen, min(growers, i.hands), s.rate, growthFor*i.round, func(c *conn) (bool, error) {
			a, err := c.do(s.request(i))
			if err != nil {
				return false, err
			}
			return true, a.want(200)
		})
		if err == nil && len(times) == 0 {
			err = errors.New("nothing was asked")
		}
		return reading{wait: percentile(times, 99)}, err
	}
}
