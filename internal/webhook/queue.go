package webhook

import (
	"context"
	"time"

	"portico/internal/clock"
	"portico/internal/ids"
)

// Queue takes events for the webhooks of some settings. It is safe for concurrent use.
type Queue struct {
	hooks  []Hook
	clock  clock.Clock
	runner *Runner
}

// NewQueue returns a Queue, nil without webhooks. It wakes the Runner after events were committed.
func NewQueue(hooks []Hook, c clock.Clock, r *Runner) *Queue {
	if len(hooks) == 0 {
		return nil
	}
	return &Queue{hooks, c, r}
}

// Hooks returns the webhooks, none of a nil Queue.
func (q *Queue) Hooks() []Hook {
	if q == nil {
		return nil
	}
	return q.hooks
}

// Hook returns the webhook with a name, or Missing.
func (q *Queue) Hook(name string) (Hook, error) {
	for _, h := range q.Hooks() {
		if h.Name == name {
			return h, nil
		}
	}
	return Hook{}, Missing
}

// retryBatch bounds a transaction.
const retryBatch = 50

// Retried is what a retry has put back into the queue.
type Retried struct {
	Queued int
	More   bool      // there may be more that were dropped before Before
	Before time.Time // for the next retry, which then gets none that was dropped again
}

// Retry puts a delivery that has ended back into the queue, or without an id the next ones of those that
// were dropped before a time, zero for all: the clock can have been set back since.
//
// Faults: Missing, Unknown.
func (q *Queue) Retry(ctx context.Context, tx Store, webhook, id string, before time.Time) (r Retried, err error) {
	if _, err := q.Hook(webhook); err != nil {
		return r, err
	}
	now := q.clock.Now()
	n, err := tx.RetryDeliveries(ctx, webhook, id, before, now, now.Add(patience), retryBatch)
	if before.IsZero() {
		before = now
	}
	if err == nil && n == 0 && id != "" {
		err = Unknown
	}
	tx.AfterCommit(func() { q.runner.Wake(webhook) })
	return Retried{n, n == retryBatch, before}, err
}

// Try returns an event of the type TestType for a webhook, which is sent at once and not kept.
func (q *Queue) Try(webhook, actor string) Delivery {
	now := q.clock.Now()
	return Delivery{ID: "msg_" + ids.NewAt(now), Webhook: webhook, Event: Event{Type: TestType, Change: "test", Actor: actor, At: now}}
}

// Add writes an event for each webhook that wants it and is not full, in the transaction of the change.
func (q *Queue) Add(ctx context.Context, tx Store, e Event) error {
	now := q.clock.Now()
	e.At = now
	for _, h := range q.hooks {
		if !h.Wants(e.Type) || q.runner.full(h.Name) {
			continue
		}
		d := Delivery{ID: "msg_" + ids.NewAt(now), Webhook: h.Name, Event: e, DueAt: now, Until: now.Add(patience)}
		if err := tx.InsertDelivery(ctx, d); err != nil {
			return err
		}
		tx.AfterCommit(func() { q.runner.Wake(h.Name) })
	}
	return nil
}

// count looks for the webhooks that get no more events. It is no part of the changes that make events, because it may
// read Most rows.
func (r *Runner) count(ctx context.Context) {
	for _, h := range r.Hooks() {
		var counts Counts
		err := r.Read(ctx, func(tx Store) (err error) {
			counts, err = tx.CountDeliveries(ctx, h.Name, Most)
			return err
		})
		if r.note(ctx, err); err != nil {
			continue
		}
		over := counts.Waiting >= Most
		if over {
			r.Log.Error("events for a webhook are dropped, because too many wait for it: see 'portico webhook log'", "webhook", h.Name, "waiting", counts.Waiting, "oldest", counts.Oldest)
		}
		r.mu.Lock()
		r.over[h.Name] = over
		r.mu.Unlock()
	}
}

// full reports whether a webhook gets no more events. Without Run it is never full.
func (r *Runner) full(name string) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.over[name]
}
