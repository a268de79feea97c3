package sqlite

import (
	"context"
	"time"
)

// MakeMonths implements engine.Engine. SQLite has no partitions.
func (*DB) MakeMonths(context.Context, time.Time, time.Time) error { return nil }

// DropMonths implements engine.Engine.
func (*DB) DropMonths(context.Context, time.Time) error { return nil }
