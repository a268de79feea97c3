package outbox

import (
	"context"
	"time"
)

// Record is a message as the store keeps it.
type Record struct {
	ID        string
	Template  string
	AccountID string
	Payload   []byte // sealed under ID
	CreatedAt time.Time
	NotAfter  time.Time // zero: no end
	DueAt     time.Time // not claimed before; while claimed, the end of the lease
	DeadAt    time.Time // zero: alive

	// Claims counts every claim and never goes back: the writer of an outcome
	// shows it to prove that no later claim was made.
	Claims    int
	Failures  int    // deliveries known to have failed
	Uncertain int    // claims of which nobody knows whether they delivered
	Reason    string // of the last failure, for the operator
}

// Counts is the state of the queue.
type Counts struct {
	Waiting int       // waiting or claimed
	Dead    int       // given up, listed for the operator
	Oldest  time.Time // CreatedAt of the oldest that waits; zero when none does
}

// Store is what the outbox needs of a transaction.
type Store interface {
	// AfterCommit runs fn as soon as the transaction is kept, and never when it
	// is not. fn must be quick: others may wait for it.
	AfterCommit(fn func())

	// InsertMessage adds a record.
	InsertMessage(ctx context.Context, r Record) error

	// ClaimMessages leases up to limit living records that are due at now,
	// the longest due first: DueAt becomes until, Claims and Uncertain go up
	// by one. A record is claimed by one caller, however many call at once.
	ClaimMessages(ctx context.Context, now, until time.Time, limit int) ([]Record, error)

	// HastenMessages makes living records that are due after the horizon due at
	// now: nothing is put off for that long, so the clock has been set back.
	HastenMessages(ctx context.Context, now, horizon time.Time) error

	// SettleMessage writes DueAt, DeadAt, Failures, Uncertain and Reason, if
	// Claims is still r.Claims; it reports whether it was.
	SettleMessage(ctx context.Context, r Record) (bool, error)

	// DeleteMessage removes a record; it does nothing when there is none.
	DeleteMessage(ctx context.Context, id string) error

	// DeadMessages returns up to limit dead records, the newest first.
	DeadMessages(ctx context.Context, limit int) ([]Record, error)

	// ReviveMessage makes a dead record whose NotAfter is not over due at now,
	// with Failures and Uncertain at zero; it reports whether there was one.
	ReviveMessage(ctx context.Context, id string, now time.Time) (bool, error)

	// PurgeMessages removes the records that died before the time and returns
	// how many there were.
	PurgeMessages(ctx context.Context, before time.Time) (int, error)

	// CountMessages returns the state of the queue.
	CountMessages(ctx context.Context) (Counts, error)
}
