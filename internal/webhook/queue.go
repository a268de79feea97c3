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
		d := Delivery{ID: "msg_" + ids.NewAt(now), Webhook: h.Name, Event: e, DueAt: now, Until: now.Add(Patience)}
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
	counts, err := tx.CountDeliveries(ctx, webhook)
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
