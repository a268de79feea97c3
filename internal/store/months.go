package store

import (
	"context"
	"time"

	"portico/internal/audit"
)

// KeptFrom returns from when on audit records are kept if those from before a time are too
// old. A shared database drops whole months.
func (s *Store) KeptFrom(before time.Time) time.Time {
	if s.Shared() {
		return audit.MonthOf(before)
	}
	return before
}

// MakeMonths makes the partitions of the audit records for the months from a time on, and some
// after now.
func (s *Store) MakeMonths(ctx context.Context, from, now time.Time) error {
	return s.engine.MakeMonths(ctx, from, now)
}

// DropMonths drops the partitions whose audit records are all from before a time.
func (s *Store) DropMonths(ctx context.Context, before time.Time) error {
	return s.engine.DropMonths(ctx, before)
}
