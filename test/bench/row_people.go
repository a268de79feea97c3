package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"portico/internal/account"
	"portico/internal/store"
)

const (
	mostPeople = 1_000_000
	aPage      = 25
	farPages   = 1000

	// A page may take half as long again as in a small installation, as in the row growth. A
	// search looks at 2,000 rows, which a small database has in memory.
	mostGrowth, mostOfSearch = 1.5, 3
)

// listed is a page of a list of people.
type listed struct {
	name  string
	query account.Query
	pages int // that come before it
	aim   float64
}

// looks are the pages whose times are compared.
func looks() []listed {
	always := time.Now().AddDate(1, 0, 0)
	return []listed{
		{"first page", account.Query{}, 0, mostGrowth},
		{"next page", account.Query{}, 1, mostGrowth},
		{"thousandth next page", account.Query{}, farPages, mostGrowth},
		{"beginning of an address", account.Query{By: account.ByAddressPrefix, Text: "u12"}, 0, mostGrowth},
		{"thousandth page by last use", account.Query{SeenBefore: always}, farPages, mostGrowth},
		{"search that finds nobody", account.Query{SeenBefore: always, CreatedTo: time.Unix(1, 0)}, 0, mostOfSearch},
	}
}

// lists compares pages of a large installation with those of a small one, by the product's
// store.
func lists(ctx context.Context, b *bench, e engine) (figures []figure, err error) {
	large := min(e.large(b.scale), mostPeople)
	var sides []*store.Store
	for _, count := range []int{b.small, large} {
		i, err := b.installed(ctx, e, count)
		if err != nil {
			return nil, err
		}
		s, err := i.open(ctx)
		if err != nil {
			return nil, err
		}
		defer func() { err = errors.Join(err, s.Close()) }()
		sides = append(sides, s)
	}
	for _, l := range looks() {
		l.query.Limit = aPage
		var both []side
		for n, s := range sides {
			pages := min(l.pages, []int{b.small, large}[n]/aPage-1)
			q, err := skip(ctx, s, l.query, pages)
			if err != nil {
				return nil, err
			}
			both = append(both, questions(b, func() error { _, err := onePage(ctx, s, q); return err }))
		}
		all, err := interleave(ctx, b.rounds, both...)
		if err != nil {
			return nil, err
		}
		figures = append(figures, figure{
			name:    fmt.Sprintf("%s, p99, %d people against %d", l.name, large, b.small),
			product: millis(values(all[1], waitOf)), limit: millis(values(all[0], waitOf)),
			value: ratios(all[1], all[0], waitOf), aim: l.aim,
		})
	}
	return figures, nil
}

func onePage(ctx context.Context, s *store.Store, q account.Query) (page account.Page, err error) {
	err = s.Read(ctx, func(tx *store.Tx) error {
		page, err = tx.People(ctx, q, time.Now())
		return err
	})
	return page, err
}

// skip returns the query of a later page.
func skip(ctx context.Context, s *store.Store, q account.Query, pages int) (account.Query, error) {
	for range pages {
		page, err := onePage(ctx, s, q)
		if err == nil && page.Next == "" {
			err = errors.New("the list ends before the page that is measured")
		}
		if err != nil {
			return q, err
		}
		q.After = page.Next
	}
	return q, nil
}

// questions is a side that asks one question after the other.
func questions(b *bench, ask func() error) side {
	return func(context.Context, int) (reading, error) {
		var times []time.Duration
		for began := time.Now(); time.Since(began) < b.round; {
			asked := time.Now()
			if err := ask(); err != nil {
				return reading{}, err
			}
			times = append(times, time.Since(asked))
		}
		return reading{wait: percentile(times, 99)}, nil
	}
}
