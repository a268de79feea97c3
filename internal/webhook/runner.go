package webhook

import (
	"context"
	"fmt"
	"log/slog"
	"maps"
	"math/rand/v2"
	"net/http"
	"sync"
	"time"

	"portico/internal/clock"
)

const (
	// Each is how many requests a node sends to one webhook at a time.
	Each = 8

	poll        = 5 * time.Second // for retries, expired leases, and events of other processes
	recount     = time.Minute     // each queue is counted again
	settlePause = 500 * time.Millisecond
	mostPause   = time.Hour // that a receiver can ask for
	hastenBatch = 1000
)

// Result is what a receiver answers.
type Result struct {
	Status int           // 0 without a response
	Answer string        // its beginning, or what failed
	Pause  time.Duration // that the receiver asks for
	Err    error         // of Portico itself, for the log alone
}

func failed(words string, err error) Result { return Result{Answer: words, Err: err} }

// Delivered reports whether the receiver has taken the event.
func (r Result) Delivered() bool { return r.Status >= 200 && r.Status < 300 }

// RunnerConfig is what a Runner depends on.
type RunnerConfig struct {
	Clock clock.Clock
	Log   *slog.Logger
	Hooks func() []Hook // of the settings, now
	Write func(ctx context.Context, fn func(Store) error) error
	Read  func(ctx context.Context, fn func(Store) error) error
	Send  func(ctx context.Context, h Hook, d Delivery) Result
}

// Totals counts the outcomes of one webhook since the Runner was made.
type Totals struct{ Delivered, Failed, Dropped uint64 }

// Runner sends the events to all webhooks. Each has places of its own, so a slow one delays no other.
type Runner struct {
	RunnerConfig
	woken chan struct{}

	mu     sync.Mutex
	due    map[string]bool      // woken since Run has looked
	over   map[string]bool      // whether Most deliveries have not ended, as last counted
	busy   map[string]int       // requests under way
	paused map[string]time.Time // until when a receiver asked for a pause
	totals map[string]Totals

	failing bool // whether the last read of the queue failed; only Run uses it
}

// NewRunner returns a Runner.
func NewRunner(cfg RunnerConfig) *Runner {
	return &Runner{
		RunnerConfig: cfg, woken: make(chan struct{}, 1), due: map[string]bool{}, over: map[string]bool{},
		busy: map[string]int{}, paused: map[string]time.Time{}, totals: map[string]Totals{},
	}
}

// Wake makes Run look for deliveries of a webhook that are due. It never blocks.
func (r *Runner) Wake(name string) {
	r.mu.Lock()
	r.due[name] = true
	r.mu.Unlock()
	select {
	case r.woken <- struct{}{}:
	default:
	}
}

// Totals returns the counters by the name of the webhook.
func (r *Runner) Totals() map[string]Totals {
	r.mu.Lock()
	defer r.mu.Unlock()
	return maps.Clone(r.totals)
}

// Run sends until ctx ends, and then finishes the requests under way. Several processes may run
// on one database.
func (r *Runner) Run(ctx context.Context) {
	var sending sync.WaitGroup
	defer sending.Wait()
	timer, recounts := time.NewTicker(poll), time.NewTicker(recount)
	defer timer.Stop()
	defer recounts.Stop()
	r.count(ctx)
	for all := true; ; {
		r.mu.Lock()
		due := r.due
		r.due = map[string]bool{}
		r.mu.Unlock()
		for _, h := range r.Hooks() {
			if !all && !due[h.Name] {
				continue
			}
			for _, d := range r.claim(ctx, h) {
				sending.Go(func() { r.process(h, d) })
			}
		}
		select {
		case <-ctx.Done():
			return
		case <-r.woken:
			all = false
		case <-timer.C:
			all = true
		case <-recounts.C:
			r.count(ctx)
		}
	}
}

// note logs the first of repeated failures to read the queue, and then the recovery.
func (r *Runner) note(ctx context.Context, err error) {
	switch {
	case ctx.Err() != nil && err != nil:
	case err != nil && !r.failing:
		r.failing = true
		r.Log.Error("cannot read the events for webhooks", "error", err)
	case err == nil && r.failing:
		r.failing = false
		r.Log.Info("it works again to read the events for webhooks")
	}
}

// claim takes what can be sent to a webhook now.
func (r *Runner) claim(ctx context.Context, h Hook) (claimed []Delivery) {
	now := r.Clock.Now()
	r.mu.Lock()
	free := Each - r.busy[h.Name]
	if pause := r.paused[h.Name]; now.Before(pause) && !now.Before(pause.Add(-mostPause)) { // else the clock was set back
		free = 0
	}
	r.mu.Unlock()
	if free <= 0 || ctx.Err() != nil {
		return nil
	}
	err := r.Write(ctx, func(tx Store) (err error) {
		if claimed, err = tx.ClaimDeliveries(ctx, h.Name, now, now.Add(Lease), free); err == nil && len(claimed) == 0 {
			err = tx.HastenDeliveries(ctx, h.Name, now, now.Add(horizon), hastenBatch)
		}
		return err
	})
	if r.note(ctx, err); err != nil {
		return nil
	}
	r.mu.Lock()
	r.busy[h.Name] += len(claimed)
	r.mu.Unlock()
	return claimed
}

// process sends a claimed delivery and writes what became of it.
func (r *Runner) process(h Hook, d Delivery) {
	result := r.attempt(h, d)
	now := r.Clock.Now()
	r.pause(h.Name, result.Pause, now) // before others see the outcome, and the next event of another account is sent
	d.TriedAt, d.Status, d.Answer = now, result.Status, result.Answer
	log := r.Log.With("webhook", h.Name, "delivery", d.ID, "event", d.Type, "status", d.Status)
	if result.Err != nil {
		log = log.With("error", result.Err)
	}
	switch {
	case result.Delivered():
		d.State, d.EndedAt = Delivered, now
		log.Debug("an event was delivered")
	case result.Status == http.StatusGone || !now.Before(d.Until):
		d.Failures++
		d.State, d.EndedAt = Dropped, now
		log.Error("an event for a webhook is dropped: 'portico webhook retry' sends it again", "failures", d.Failures, "answer", short(d.Answer))
	default:
		d.Failures++
		d.DueAt = now.Add(max(backoff(d.Failures, rand.Float64()), result.Pause))
		if d.Until.After(now) && d.DueAt.After(d.Until) {
			d.DueAt = d.Until // one more attempt, at the end
		}
		log.Warn("an event was not delivered and will be sent again", "failures", d.Failures, "due", d.DueAt, "answer", short(d.Answer))
	}
	r.settle(log, d)
	r.done(h.Name, d)
}

// pause notes how long the receiver asks to be left alone. An answer to a request from before a pause does not shorten it.
func (r *Runner) pause(name string, length time.Duration, now time.Time) {
	if length <= 0 {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if left := r.paused[name].Sub(now); left < length || left > mostPause { // of a clock that was set back
		r.paused[name] = now.Add(length)
	}
}

// attempt sends a delivery. A panic counts as a failure.
func (r *Runner) attempt(h Hook, d Delivery) (result Result) {
	ctx, cancel := context.WithTimeout(context.Background(), Timeout) // finish what was started, also at shutdown
	defer cancel()
	defer func() {
		if p := recover(); p != nil {
			result = failed("Portico could not send the event", fmt.Errorf("panic: %v", p))
		}
	}()
	return r.Send(ctx, h, d)
}

// settle writes an outcome, and retries for as long as the lease may last: after a lost outcome the
// receiver gets the same id again.
func (r *Runner) settle(log *slog.Logger, d Delivery) {
	ctx, cancel := context.WithTimeout(context.Background(), Lease-Timeout)
	defer cancel()
	for {
		err := r.Write(ctx, func(tx Store) (err error) {
			if d.EndedAt.IsZero() {
				return tx.PostponeDelivery(ctx, d)
			}
			_, err = tx.EndDelivery(ctx, d)
			return err
		})
		if err == nil {
			return
		}
		select {
		case <-ctx.Done():
			log.Error("the outcome of an event could not be written", "error", err)
			return
		case <-time.After(settlePause):
		}
	}
}

// done counts an attempt and gives its place back.
func (r *Runner) done(name string, d Delivery) {
	r.mu.Lock()
	t := r.totals[name]
	switch d.State {
	case Delivered:
		t.Delivered++
	case Dropped:
		t.Dropped++
	default:
		t.Failed++
	}
	r.totals[name] = t
	if r.busy[name]--; r.busy[name] <= 0 {
		delete(r.busy, name)
	}
	r.mu.Unlock()
	r.Wake(name) // there is a place, and the next event of the account may be due
}

// short returns the beginning of an answer for a line of the log.
func short(answer string) string { return clip(answer, 200) }
