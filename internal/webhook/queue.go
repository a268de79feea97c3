package webhook

import (
	"context"
	"log/slog"
	"sync"

	"portico/internal/clock"
	"portico/internal/ids"
)

// recount is how many events a webhook gets until its queue is counted again.
const recount = 1000

// Queue takes events for the webhooks of some settings. It is safe for concurrent use.
type Queue struct {
	hooks []Hook
	clock clock.Clock
	log   *slog.Logger
	wake  func()

	mu    sync.Mutex
	added map[string]int // since the queue of the webhook was counted
	full  map[string]bool
}

// NewQueue returns a Queue, nil without webhooks. It calls wake after events were committed.
func NewQueue(hooks []Hook, c clock.Clock, log *slog.Logger, wake func()) *Queue {
	if len(hooks) == 0 {
		return nil
	}
	return &Queue{hooks: hooks, clock: c, log: log, wake: wake, added: map[string]int{}, full: map[string]bool{}}
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
const retryBatch = 200

// Retry puts a delivery that has ended back into the queue, or without an id the next ones of those that
// were dropped. It returns how many, and whether there may be more.
//
// Faults: Missing, Unknown.
func (q *Queue) Retry(ctx context.Context, tx Store, webhook, id string) (n int, more bool, err error) {
	if _, err := q.Hook(webhook); err != nil {
		return 0, false, err
	}
	now := q.clock.Now()
	n, err = tx.RetryDeliveries(ctx, webhook, id, now, now.Add(patience), retryBatch)
	if err == nil && n == 0 && id != "" {
		err = Unknown
	}
	tx.AfterCommit(q.wake)
	return n, n == retryBatch, err
}

// Try returns an event of the type TestType for a webhook, which is sent at once and not kept.
func (q *Queue) Try(webhook, actor string) Delivery {
	now := q.clock.Now()
	return Delivery{ID: "msg_" + ids.NewAt(now), Webhook: webhook, Event: Event{Type: TestType, Change: "test", Actor: actor, At: now}}
}

// Add writes an event for each webhook that wants it, in the transaction of the change.
func (q *Queue) Add(ctx context.Context, tx Store, e Event) error {
	now := q.clock.Now()
	e.At = now
	for _, h := range q.hooks {
		if !h.Wants(e.Type) {
			continue
		}
		if full, err := q.isFull(ctx, tx, h.Name); err != nil || full {
			if err != nil {
				return err
			}
			continue
		}
		d := Delivery{ID: "msg_" + ids.NewAt(now), Webhook: h.Name, Event: e, DueAt: now, Until: now.Add(patience)}
		if err := tx.InsertDelivery(ctx, d); err != nil {
			return err
		}
		tx.AfterCommit(q.wake)
	}
	return nil
}

// isFull reports whether Most deliveries of the webhook have not ended. It counts them now and then.
func (q *Queue) isFull(ctx context.Context, tx Store, webhook string) (bool, error) {
	q.mu.Lock()
	n := q.added[webhook]
	q.added[webhook] = (n + 1) % recount
	full := q.full[webhook]
	q.mu.Unlock()
	if n > 0 {
		return full, nil
	}
	counts, err := tx.CountDeliveries(ctx, webhook, Most)
	if err != nil {
		return false, err
	}
	full = counts.Waiting >= Most
	if full {
		q.log.Error("events for a webhook are dropped, because too many wait for it: see 'portico webhook log'", "webhook", webhook, "waiting", counts.Waiting, "oldest", counts.Oldest)
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	q.full[webhook] = full
	return full, nil
}
