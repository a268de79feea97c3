package store

import (
	"context"
	"time"

	"portico/internal/account"
)

func departureRow(row scanner) (account.Departure, error) {
	var d account.Departure
	var left, erase int64
	err := row.Scan(&d.AccountID, &left, &erase)
	d.LeftAt, d.EraseAt = fromMicros(left), fromMicros(erase)
	return d, err
}

// InsertDeparture implements account.DepartureStore.
func (t *Tx) InsertDeparture(ctx context.Context, d account.Departure) error {
	return t.run(ctx, `INSERT INTO departure (account_id, left_at, erase_at) VALUES ($1, $2, $3)`, d.AccountID, micros(d.LeftAt), micros(d.EraseAt))
}

// DepartureOf implements account.DepartureStore.
func (t *Tx) DepartureOf(ctx context.Context, accountID string) (account.Departure, bool, error) {
	return first(ctx, t, `SELECT account_id, left_at, erase_at FROM departure WHERE account_id = $1`, []any{accountID}, departureRow)
}

// DueDepartures implements account.DepartureStore.
func (t *Tx) DueDepartures(ctx context.Context, now time.Time, limit int) ([]string, error) {
	return collect(ctx, t, `SELECT account_id FROM departure WHERE erase_at <= $1 ORDER BY erase_at LIMIT CAST($2 AS BIGINT)`, []any{micros(now), limit}, scanOne[string])
}

// DeleteDeparture implements account.DepartureStore.
func (t *Tx) DeleteDeparture(ctx context.Context, accountID string) (bool, error) {
	return t.one(ctx, `DELETE FROM departure WHERE account_id = $1`, accountID)
}
