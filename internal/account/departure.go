package account

import (
	"context"
	"time"
)

// Grace is how long an account that its owner has closed can be taken back.
const Grace = 14 * 24 * time.Hour

// Departure is the end of an account that its owner has closed.
type Departure struct {
	AccountID string
	LeftAt    time.Time
	EraseAt   time.Time
}

// DepartureStore is what the end of an account needs of the database.
type DepartureStore interface {
	InsertDeparture(ctx context.Context, d Departure) error
	DepartureOf(ctx context.Context, accountID string) (Departure, bool, error)
	// DueDepartures returns the ids of up to limit accounts that are to be erased by now.
	DueDepartures(ctx context.Context, now time.Time, limit int) ([]string, error)
	DeleteDeparture(ctx context.Context, accountID string) (bool, error)
}
