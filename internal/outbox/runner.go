package outbox

import (
	"context"
	"errors"
	"log/slog"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"time"
)

const (
	// poll is how often the Runner reads the queue when nothing wakes it: for
	// retries, expired leases, and messages that other processes enqueued. With
	// the lease it bounds the delay after a crash.
	poll = 5 * time.Second

	settlePause = 500 * time.Millisecond
)

// RunnerConfig is what a Runner depends on.
type RunnerConfig struct {
	Outbox *Outbox
	Lane   Lane
	Log    *slog.Logger

	// Write runs fn in one transaction.
	Write func(ctx context.Context, fn func(Store) error) error

	// Deliver sends a message within the deadline of its context. It uses the
	// id of the message, so that a second delivery can be recognized, and
	// returns a DeliveryError when it knows more than that it failed.
	Deliver func(ctx context.Context, m Message) error

	Parallel  int // deliveries at a time
	PerClient int // of them to one OpenID client, at least 2; no limit when zero
}

// Totals counts the outcomes of messages since the Runner was made.
type Totals struct {
	Sent    uint64
	Failed  uint64 // deliveries that failed and will be retried
	Dead    uint64 // given up
	Expired uint64 // too late to be sent
}

// Plus returns the sum of both.
func (t Totals) Plus(o Totals) Totals {
	return Totals{t.Sent + o.Sent, t.Failed + o.Failed, t.Dead + o.Dead, t.Expired + o.Expired}
}

// Runner sends what the Outbox accepts.
type Runner struct {
	RunnerConfig

	failing bool // whether the last read of the queue failed; only Run uses it

	sent, failed, dead, expired atomic.Uint64
}

// NewRunner returns a Runner. Run starts it.
func NewRunner(cfg RunnerConfig) *Runner { return &Runner{RunnerConfig: cfg} }

// Totals returns the counters. It is safe for concurrent use.
func (r *Runner) Totals() Totals {
	return Totals{
		Sent: r.sent.Load(), Failed: r.failed.Load(),
		Dead: r.dead.Load(), Expired: r.expired.Load(),
	}
}

// Run sends messages until ctx ends. Then it claims no more, finishes the
// deliveries under way and returns. Call it once at a time on a Runner. Several
// processes may run on one database.
func (r *Runner) Run(ctx context.Context) {
	var sending sync.WaitGroup
	defer sending.Wait()
	finished := make(chan Record, r.Parallel)
	timer := time.NewTimer(poll)
	defer timer.Stop()

	places := newPlaces(r.Parallel, r.PerClient)
	look := true
	for {
		for look && places.free > 0 {
			// Claim only what can be sent now, so that a crash leaves no claim
			// on a message whose delivery was not started.
			limit, busy := places.next()
			claimed := r.claim(ctx, limit, busy)
			look = len(claimed) == limit
			for _, record := range claimed {
				places.take(record.ClientID)
				sending.Go(func() {
					r.process(record)
					finished <- record
				})
			}
			timer.Reset(poll)
		}
		select {
		case <-ctx.Done():
			return
		case record := <-finished:
			look = places.giveBack(record.ClientID) || look
		case <-r.Outbox.wakes[r.Lane]:
			look = true
		case <-timer.C:
			look = true
		}
	}
}

func (r *Runner) claim(ctx context.Context, limit int, busy []string) []Record {
	var claimed []Record
	now := r.Outbox.clock.Now()
	err := r.Write(ctx, func(tx Store) (err error) {
		if claimed, err = tx.ClaimMessages(ctx, r.Lane, now, now.Add(Lease), limit, busy...); err == nil && len(claimed) == 0 {
			_, err = tx.HastenMessages(ctx, r.Lane, now, now.Add(horizon), flushBatch) // no message is postponed for that long: the clock was set back
		}
		return err
	})
	switch {
	case ctx.Err() != nil && err != nil:
	case err != nil && !r.failing: // log a lasting failure at its start and at its end
		r.failing = true
		r.Log.Error("cannot read the outbox", "error", err)
	case err == nil && r.failing:
		r.failing = false
		r.Log.Info("it works again to read the outbox")
	}
	if err != nil {
		return nil
	}
	return claimed
}

// process brings a claimed message to its next state.
func (r *Runner) process(record Record) {
	ctx := context.Background() // finish what was started, also at shutdown
	log := r.Log.With("message", record.ID, "template", record.Template)
	if record.ClientID != "" {
		log = log.With("client", record.ClientID)
	}
	message, err := r.Outbox.open(record)
	switch {
	case err != nil:
		record.Reason = "the content cannot be read: was it sealed with another key?"
		r.giveUp(ctx, record, nil, log)
	case message.Suppressed:
		r.remove(ctx, record, Suppressed, log)
	case !record.NotAfter.IsZero() && !r.Outbox.clock.Now().Before(record.NotAfter):
		r.expired.Add(1)
		log.Warn("a message was not sent in time and is dropped", "reason", record.Reason)
		r.remove(ctx, record, Late, log)
	case record.Uncertain > maxUncertain:
		if record.Reason == "" {
			record.Reason = "the process ended twice during the delivery"
		}
		r.giveUp(ctx, record, nil, log)
	default:
		r.send(ctx, record, message, log)
	}
}

func (r *Runner) send(ctx context.Context, record Record, message Message, log *slog.Logger) {
	failure := r.attempt(ctx, message)
	if failure == nil {
		r.sent.Add(1)
		log.Info("a message was sent")
		record.Reason = ""
		r.remove(ctx, record, Accepted, log)
		return
	}
	if errors.Is(failure, ErrOver) {
		log.Info("a message is dropped: " + ErrOver.Error())
		r.remove(ctx, record, Dropped, log)
		return
	}
	if !record.count(failure) {
		var told *Told
		if refused(failure) {
			told = message.Told
		}
		r.giveUp(ctx, record, told, advised(log, failure))
		return
	}
	record.DueAt = r.Outbox.clock.Now().Add(backoff(record.Failures, rand.Float64()))
	r.failed.Add(1)
	advised(log, failure).Warn("a message was not sent and will be tried again",
		"reason", record.Reason, "failures", record.Failures, "due", record.DueAt)
	r.settle(ctx, log, func(tx Store) error {
		last, err := tx.SettleMessage(ctx, record)
		if err == nil && last {
			err = r.became(ctx, tx, record, Waiting)
		}
		return err
	})
}

// giveUp keeps the message for the operator. told is set if the server has refused it, and
// the visitor learns that.
func (r *Runner) giveUp(ctx context.Context, record Record, told *Told, log *slog.Logger) {
	record.DeadAt = r.Outbox.clock.Now()
	r.dead.Add(1)
	log.Error("a message was given up", "reason", record.Reason, "claims", record.Claims)
	r.settle(ctx, log, func(tx Store) error {
		last, err := tx.SettleMessage(ctx, record)
		if err == nil && last {
			err = r.became(ctx, tx, record, GivenUp)
		}
		if err == nil && last && told != nil {
			err = tx.InsertRefusal(ctx, Refusal{Mailbox: told.Mailbox, AskedAt: told.AskedAt, RefusedAt: record.DeadAt})
		}
		return err
	})
}

// remove deletes the message even if another process has claimed it since,
// because it must not be sent again.
func (r *Runner) remove(ctx context.Context, record Record, state State, log *slog.Logger) {
	r.settle(ctx, log, func(tx Store) error {
		if err := r.became(ctx, tx, record, state); err != nil {
			return err
		}
		return tx.DeleteMessage(ctx, record.ID)
	})
}

// settle writes an outcome and retries for as long as the lease may last: a
// lost outcome means that the message is sent twice.
func (r *Runner) settle(ctx context.Context, log *slog.Logger, fn func(Store) error) {
	ctx, cancel := context.WithTimeout(ctx, Lease)
	defer cancel()
	for {
		err := r.Write(ctx, fn)
		if err == nil {
			return
		}
		select {
		case <-ctx.Done():
			log.Error("the outcome of a message could not be written", "error", err)
			return
		case <-time.After(settlePause):
		}
	}
}
