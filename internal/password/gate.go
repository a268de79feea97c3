package password

import (
	"context"
	"sync"
	"time"

	"portico/internal/fault"
	"portico/internal/password/argon2"
	"portico/internal/telemetry/span"
	"portico/internal/telemetry/tally"
)

// Stats are the figures of the hashing slots. The counts grow from the start
// of the process.
type Stats struct {
	Slots   int
	Running int           // work in a slot now
	Waiting int           // work in the queue now
	Pace    time.Duration // moving average of the time in a slot

	Finished  uint64 // work done
	Refused   uint64 // refused because the queue was full or the wait too long
	Abandoned uint64 // left the queue because the caller's context ended
}

// restAfter is how long all slots must be unused before their memory is
// released. It is longer than the pauses of a quiet evening.
const restAfter = time.Minute

// gate admits work to the slots. It is safe for concurrent use.
type gate struct {
	free  chan *argon2.Arena // the free slots, as their memory
	keep  uint32             // KiB that a free slot may keep
	queue int
	wait  time.Duration
	idle  *time.Timer

	mu    sync.Mutex
	stats Stats
	taken *tally.Histogram[time.Duration] // time in a slot, of one piece of work
}

func newGate(slots, queue int, wait time.Duration, keep uint32) *gate {
	g := &gate{free: make(chan *argon2.Arena, slots), queue: queue, wait: wait, keep: keep, stats: Stats{Slots: slots}}
	for range slots {
		g.free <- argon2.NewArena()
	}
	g.taken = tally.New(5*time.Millisecond, 10*time.Millisecond, 15*time.Millisecond, 25*time.Millisecond, 50*time.Millisecond,
		100*time.Millisecond, 250*time.Millisecond, 500*time.Millisecond, time.Second)
	g.idle = time.AfterFunc(restAfter, g.rest)
	return g
}

// do runs the work in a slot and returns its error. Without a slot it returns
// Busy, or the error of a context that ended first, and does not run the work.
func (g *gate) do(ctx context.Context, work func(*argon2.Arena) error) error {
	ctx, s := span.Start(ctx, span.PasswordWork)
	slot, err := g.enter(ctx)
	if err != nil {
		s.End(fault.From(err).Code)
		return err
	}
	defer s.End("")
	s.Reached("slot")
	start := time.Now() // a span by the monotonic clock
	defer func() { g.leave(slot, time.Since(start)) }()
	return atLowPriority(func() error { return work(slot) })
}

func (g *gate) enter(ctx context.Context) (*argon2.Arena, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	// The queue is fair: a channel hands a freed slot to its oldest receiver,
	// so a slot is available here only when no caller waits.
	select {
	case slot := <-g.free:
		return slot, nil
	default:
	}
	if err := g.join(); err != nil {
		return nil, err
	}
	timer := time.NewTimer(g.wait)
	defer timer.Stop()
	select {
	case slot := <-g.free:
		g.count(func(s *Stats) { s.Waiting-- })
		return slot, nil
	case <-ctx.Done():
		g.count(func(s *Stats) { s.Waiting--; s.Abandoned++ })
		return nil, ctx.Err()
	case <-timer.C:
		g.mu.Lock()
		defer g.mu.Unlock()
		g.stats.Waiting--
		return nil, g.refuse()
	}
}

// join takes a place in the queue unless it is full or too slow. A caller that
// would give up later is refused now.
func (g *gate) join() error {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.stats.Waiting >= g.queue || g.drain() > g.wait {
		return g.refuse()
	}
	g.stats.Waiting++
	return nil
}

// refuse counts a refusal. The caller holds the lock.
func (g *gate) refuse() error {
	g.stats.Refused++
	return Busy.WithRetryAfter(max(g.drain().Round(time.Second), time.Second))
}

// drain returns how long a new caller would wait. The caller holds the lock.
func (g *gate) drain() time.Duration {
	return g.stats.Pace * time.Duration(g.stats.Waiting+1) / time.Duration(g.stats.Slots)
}

func (g *gate) leave(slot *argon2.Arena, taken time.Duration) {
	if slot.Size() > g.keep { // a stored hash was more expensive than current ones
		slot.Release()
	}
	g.free <- slot
	g.idle.Reset(restAfter)
	g.taken.Observe(taken)
	g.count(func(s *Stats) {
		s.Finished++
		if s.Pace == 0 {
			s.Pace = taken
		}
		s.Pace += (taken - s.Pace) / 8
	})
}

func (g *gate) count(change func(*Stats)) {
	g.mu.Lock()
	defer g.mu.Unlock()
	change(&g.stats)
}

func (g *gate) figures() Stats {
	g.mu.Lock()
	defer g.mu.Unlock()
	s := g.stats
	s.Running = cap(g.free) - len(g.free)
	return s
}

// rest releases the memory of the slots when all are free.
func (g *gate) rest() {
	var slots []*argon2.Arena
	for range cap(g.free) {
		select {
		case slot := <-g.free:
			slot.Release()
			slots = append(slots, slot)
		default: // the last caller to leave sets the timer again
		}
	}
	for _, slot := range slots {
		g.free <- slot
	}
}
