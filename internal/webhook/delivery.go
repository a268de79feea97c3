package webhook

import (
	"context"
	"slices"
	"strconv"
	"strings"
	"time"

	"portico/internal/signature"
)

const (
	// Lease is how long a claimed delivery belongs to its claimer. The attempt ends before.
	Lease = 40 * time.Second

	// patience is how long after an event it is sent again. A later failure drops it.
	patience = 3 * 24 * time.Hour

	// Keep is how long a delivery that has ended can be read.
	Keep = 7 * 24 * time.Hour

	// Most bounds the deliveries of a webhook that have not ended.
	Most = 1_000_000

	firstDelay = 30 * time.Second
	lastDelay  = 6 * time.Hour
	horizon    = 8 * time.Hour // longer than any delivery is postponed
)

// Every is the entry of Hook.Events for all events.
const Every = "*"

// Hook is a webhook of the settings.
type Hook struct {
	Name   string
	URL    string
	Events []string        // types of events, or Every
	Keys   []signature.Key // one, or two while the secret is changed
}

// Address returns where the events go, without the query, which may have a key of the receiver.
func (h Hook) Address() string {
	address, _, _ := strings.Cut(h.URL, "?")
	return address
}

// Wants reports whether the receiver gets the events of a type.
func (h Hook) Wants(kind string) bool {
	return slices.Contains(h.Events, Every) || slices.Contains(h.Events, kind)
}

// State is how far a delivery is.
type State string

// The states of a delivery.
const (
	Waiting   State = "waiting"
	Held      State = "held" // an earlier event of the account has not ended
	Delivered State = "delivered"
	Dropped   State = "dropped" // it can be sent again by an operator
)

// Event is a change of an account.
type Event struct {
	AccountID string
	Type      string // as apps know it
	Change    string // the name of its audit record
	Actor     string // the kind of the actor
	At        time.Time
}

// Delivery is an event on the way to one webhook.
type Delivery struct {
	ID      string // the same at each attempt
	Webhook string
	Event
	Seq      int64
	State    State
	DueAt    time.Time // the end of the lease while it is claimed
	Until    time.Time
	Claims   int64
	Failures int64
	Status   int    // of the last response; 0 without one
	Answer   string // its beginning, or what failed
	TriedAt  time.Time
	EndedAt  time.Time
}

// Place returns the place of the delivery in the list of its webhook. It has the time, too, because the delivery may be
// deleted before the next page is read.
func (d Delivery) Place() string { return strconv.FormatInt(d.At.UnixMicro(), 10) + "_" + d.ID }

// ParsePlace returns the time and the id of a Place.
func ParsePlace(place string) (at time.Time, id string, ok bool) {
	text, id, _ := strings.Cut(place, "_")
	micros, err := strconv.ParseInt(text, 10, 64)
	return time.UnixMicro(micros), id, err == nil
}

// MostCounted is how many deliveries are counted for people to read.
const MostCounted = 10_000

// Counts is the state of the queue of a webhook, as far as it was counted.
type Counts struct {
	Waiting int       // not ended: Waiting or Held
	Oldest  time.Time // event of these; zero without any
	Failing time.Time // oldest event whose last attempt has failed, of the 100 that are due last; zero without any
}

// Store is what webhooks need of a transaction.
type Store interface {
	// AfterCommit runs fn after the transaction is committed.
	AfterCommit(fn func())

	// InsertDelivery adds a delivery after all others of its webhook and account that have
	// not ended: Held if there are any, else Waiting.
	InsertDelivery(ctx context.Context, d Delivery) error

	// ClaimDeliveries leases up to limit deliveries of a webhook that are Waiting and due, the longest
	// due first. Concurrent callers get different ones.
	ClaimDeliveries(ctx context.Context, webhook string, now, until time.Time, limit int) ([]Delivery, error)

	// HastenDeliveries makes up to limit Waiting deliveries that are due after the horizon due now.
	HastenDeliveries(ctx context.Context, webhook string, now, horizon time.Time, limit int) error

	// PostponeDelivery writes DueAt, Failures, Status, Answer and TriedAt, unless the delivery was claimed again
	// since.
	PostponeDelivery(ctx context.Context, d Delivery) error

	// EndDelivery writes State, Failures, Status, Answer, TriedAt and EndedAt, and makes the next delivery of the
	// account due. A drop counts only if the delivery was not claimed again since. It reports whether it ended.
	EndDelivery(ctx context.Context, d Delivery) (bool, error)

	// RetryDeliveries puts deliveries of a webhook that have ended back into the queue, after all others of
	// their accounts: the one with the id, or without an id up to limit that were Dropped before a time, if it is not zero.
	RetryDeliveries(ctx context.Context, webhook, id string, before, now, until time.Time, limit int) (int, error)

	// Deliveries returns up to limit deliveries of a webhook, the newest first, with before those that come after
	// that Place.
	Deliveries(ctx context.Context, webhook, before string, limit int) ([]Delivery, error)

	// CountDeliveries counts the deliveries that have not ended, up to a number of them.
	CountDeliveries(ctx context.Context, webhook string, most int) (Counts, error)

	// ForgetDeliveries deletes up to limit deliveries that are older than before and of none of the webhooks.
	ForgetDeliveries(ctx context.Context, webhooks []string, before time.Time, limit int) (int64, error)
}

// backoff returns how long to wait after a number of failures: firstDelay, doubled each time up
// to lastDelay, spread by a quarter to both sides. jitter is between 0 and 1.
func backoff(failures int64, jitter float64) time.Duration {
	delay := lastDelay
	if n := failures - 1; n < 10 { // 30 s * 2^10 is more than six hours
		delay = firstDelay << n
	}
	return time.Duration(float64(delay) * (0.75 + jitter/2))
}
