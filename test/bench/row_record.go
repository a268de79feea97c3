package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"portico/internal/audit"
	"portico/internal/store"
)

const (
	mostRecords      = 40_000_000
	recordsOfAccount = 40
	recordDays       = 395
)

// fillRecords has so many records, the newest now. One in a hundred is by an admin, and a quarter comes from one
// network. Four admins, networks and kinds have three records a year ago.
const fillRecords = `INSERT INTO audit (id, at, name, account_id, actor, peer, user_agent, request_id, detail)
	WITH RECURSIVE n(i) AS (SELECT CAST(1 AS BIGINT) UNION ALL SELECT i + 1 FROM n WHERE i < %[1]d)
	SELECT CAST(1000000000000 + i AS TEXT) || '00000000000000', %[2]d - (%[1]d - i) * %[3]d,
		CASE WHEN i IN (1000, 1001, 1002) THEN 'key_revoked' WHEN i %% 10 < 4 THEN 'signed_in' WHEN i %% 10 < 8 THEN 'client_authorized' ELSE 'signed_out' END,
		CAST(1000000000000 + i * 7919 %% (%[1]d / 40) AS TEXT) || '00000000000000',
		CASE WHEN i IN (1003, 1004, 1005) THEN 'admin:rare' WHEN i %% 100 = 7 THEN 'admin:' || CAST(i / 100 %% 50 AS TEXT) ELSE 'self' END,
		CASE WHEN i IN (1006, 1007, 1008) THEN '192.0.2.77/32' WHEN i / 3 %% 4 = 0 THEN '198.51.100.1/32' ELSE '10.' || CAST(i * 31 %% 250 AS TEXT) || '.' || CAST(i * 17 %% 251 AS TEXT) || '.0/32' END,
		'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36', CAST(2000000000000 + i AS TEXT) || '00000000000000', 'password'
	FROM n`

// recorded returns an installation with so many records.
func (b *bench) recorded(ctx context.Context, e engine, records int) (s *store.Store, err error) {
	i, err := b.installed(ctx, e, records/recordsOfAccount)
	if err != nil {
		return nil, err
	}
	if s, err = i.open(ctx); err != nil {
		return nil, err
	}
	now := time.Now()
	if err = s.MakeMonths(ctx, now.AddDate(0, 0, -recordDays), now); err == nil {
		progress("%s: loading %d records", e.name(), records)
		each := (recordDays * 24 * time.Hour / time.Duration(records)).Microseconds()
		err = e.fill(ctx, i.url, "audit", fmt.Sprintf(fillRecords, records, now.UnixMicro(), each))
	}
	if err != nil {
		return nil, errors.Join(err, s.Close())
	}
	return s, nil
}

// record measures pages of the record of a large installation and of a small one.
func record(ctx context.Context, b *bench, e engine) (figures []figure, err error) {
	large := min(recordsOfAccount*e.large(b.scale), mostRecords)
	var sides []*store.Store
	for _, records := range []int{recordsOfAccount * b.small, large} {
		s, err := b.recorded(ctx, e, records)
		if err != nil {
			return nil, err
		}
		defer func() { err = errors.Join(err, s.Close()) }()
		sides = append(sides, s)
	}
	old, busy := time.Now().AddDate(0, -6, 0), "198.51.100.1/32"
	for _, l := range []struct {
		name  string
		query audit.Query
		aim   float64
	}{
		{"newest", audit.Query{}, mostGrowth},
		{"half a year ago", audit.Query{To: old}, mostGrowth},
		{"a person", audit.Query{AccountID: "100000000000700000000000000"}, mostGrowth},
		{"an admin with three records", audit.Query{Actor: "admin:rare"}, mostGrowth},
		{"a network with three records", audit.Query{Peer: "192.0.2.77/32"}, mostGrowth},
		{"a kind with three records", audit.Query{Names: []audit.Name{audit.KeyRevoked}}, mostGrowth},
		{"an admin who was never in a busy network", audit.Query{Actor: audit.ByAdmin("7"), Peer: busy, To: old}, 0}, // the small one has 40 records of this admin
		{"a search in a busy network that finds nothing", audit.Query{Peer: busy, Actor: audit.Stranger, Names: []audit.Name{audit.SignedIn}}, mostOfSearch},
	} {
		l.query.Limit = aPage
		var both []side
		for _, s := range sides {
			both = append(both, questions(b, func() error {
				return s.Read(ctx, func(tx *store.Tx) error { _, err := tx.Facts(ctx, l.query); return err })
			}))
		}
		all, err := interleave(ctx, b.rounds, both...)
		if err != nil {
			return nil, err
		}
		figures = append(figures, figure{
			name:    fmt.Sprintf("%s, p99, %d records against %d", l.name, large, recordsOfAccount*b.small),
			product: millis(values(all[1], waitOf)), limit: millis(values(all[0], waitOf)),
			value: ratios(all[1], all[0], waitOf), aim: l.aim,
		})
	}
	return figures, nil
}
