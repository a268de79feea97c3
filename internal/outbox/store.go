package outbox

import (
	"context"
	"slices"
	"time"
)

// Record is a message as the store keeps it.
type Record struct {
	ID        string
	Template  string
	AccountID string
	ClientID  string // the OpenID client that gets the message; "" for an email
	Lane      Lane
	Payload   []byte // sealed under ID
	CreatedAt time.Time
	NotAfter  time.Time // zero: no end
	DueAt     time.Time // not claimed before; the end of the lease while claimed
	DeadAt    time.Time // zero: alive

	// Claims counts every claim and never decreases. The writer of an outcome
	// uses it to prove that there was no later claim.
	Claims    int
	Failures  int    // deliveries known to have failed
	Uncertain int    // claims with an unknown outcome
	Reason    string // of the last failure, for the operator
}

// MostCounted is how many waiting messages of each lane are counted, and how many dead ones of all lanes.
const MostCounted = 10_000

// Counts is the state of each lane that has messages.
type Counts map[Lane]Count

// Count is the state of messages, as far as they are counted.
type Count struct {
	Waiting int       // waiting or claimed
	Dead    int       // given up, listed for the operator
	Oldest  time.Time // CreatedAt of the oldest that waits; zero when none does
}

// Of adds up lanes, or all if none is named.
func (c Counts) Of(lanes ...Lane) (sum Count) {
	for lane, one := range c {
		if len(lanes) > 0 && !slices.Contains(lanes, lane) {
			continue
		}
		sum.Waiting, sum.Dead = sum.Waiting+one.Waiting, sum.Dead+one.Dead
		if one.Waiting > 0 && (sum.Oldest.IsZero() || one.Oldest.Before(sum.Oldest)) {
			sum.Oldest = one.Oldest
		}
	}
	return sum
}

// Store is what the outbox needs of a transaction.
type Store interface {
	RefusalStore
	OutcomeStore

	// AfterCommit runs fn after the transaction is committed, and never after a
	// rollback. fn must be quick, because other callers may wait for it.
	AfterCommit(fn func())

	// InsertMessage adds records, many with one statement.
	InsertMessage(ctx context.Context, all ...Record) error

	// ClaimMessages leases up to limit living records that are due at now, the
	// longest due first. It sets DueAt to until and adds one to Claims and
	// Uncertain. Concurrent callers get different records. They belong to the lane,
	// and to none of the clients that are busy.
	ClaimMessages(ctx context.Context, lane Lane, now, until time.Time, limit int, busy ...string) ([]Record, error)

	// HastenMessages makes up to limit living records of the lane that are due after the
	// horizon due at now, and returns their number. Their Failures begin again at zero.
	HastenMessages(ctx context.Context, lane Lane, now, horizon time.Time, limit int) (int64, error)

	// SettleMessage writes DueAt, DeadAt, Failures, Uncertain and Reason if
	// Claims is still r.Claims. It reports whether it was.
	SettleMessage(ctx context.Context, r Record) (bool, error)

	// DeleteMessage removes a record; it does nothing when there is none.
	DeleteMessage(ctx context.Context, id string) error

	// Message returns the record with the id.
	Message(ctx context.Context, id string) (Record, bool, error)

	// WaitingMessages returns up to limit living records of the lanes, or of all if none
	// is named, the first due first.
	WaitingMessages(ctx context.Context, limit int, lanes ...Lane) ([]Record, error)

	// DeadMessages returns up to limit dead records, the newest first.
	DeadMessages(ctx context.Context, limit int) ([]Record, error)

	// ReviveMessages makes a dead record due at now, or up to limit of those that died
	// before if the id is "", with Failures and Uncertain at zero, unless its NotAfter has
	// passed. It returns the records.
	ReviveMessages(ctx context.Context, id string, now time.Time, limit int) ([]Record, error)

	// CountMessages returns the state of the queue, counted up to MostCounted.
	CountMessages(ctx context.Context) (Counts, error)
}
