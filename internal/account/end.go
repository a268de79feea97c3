package account

import (
	"context"
	"time"
)

// Ended reports whether the end of the account has come.
func (a Account) Ended(now time.Time) bool { return !a.EndsAt.IsZero() && !now.Before(a.EndsAt) }

// Refusal returns why the owner may not prove who they are at a time, or nil. A session
// needs Active besides.
//
// Faults: Disabled, Ended, Waits.
func (a Account) Refusal(now time.Time) error {
	switch {
	case a.Ended(now):
		return Ended
	case a.State == Waiting:
		return Waits
	case a.State != Active && a.State != Leaving:
		return Disabled
	}
	return nil
}

// Open reports whether Refusal has no reason.
func (a Account) Open(now time.Time) bool { return a.Refusal(now) == nil }

// EndStore is what the ends of accounts need of the database.
type EndStore interface {
	// UpdateEnd sets the end of an account. The zero time takes it away.
	UpdateEnd(ctx context.Context, id string, at time.Time) error
	// DueEnds returns the ids of up to limit accounts whose ends have come by now and for
	// which DropDueEnd was not called.
	DueEnds(ctx context.Context, now time.Time, limit int) ([]string, error)
	DropDueEnd(ctx context.Context, id string) error
}
