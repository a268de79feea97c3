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

// slots bounds the work that runs at the same time, and queues the rest. It is
// safe for concurrent use.
type slots struct {
	free  chan *argon2.Arena // the free slots, as their memory
	keep  uint32             // KiB that a free slot may keep
	queue int
	wait  time.Duration
	idle  *time.Timer

	mu    sync.Mutex
	stats Stats
	taken *tally.Histogram[time.Duration] // time in a slot, of one piece of work
}

func newSlots(n, queue int, wait time.Duration, keep uint32) *slots {
	p := &slots{free: make(chan *argon2.Arena, n), queue: queue, wait: wait, keep: keep, stats: Stats{Slots: n}}
	for range n {
		p.free <- argon2.NewArena()
	}
	p.taken = tally.New(5*time.Millisecond, 10*time.Millisecond, 15*time.Millisecond, 25*time.Millisecond, 50*time.Millisecond,
		100*time.Millisecond, 250*time.Millisecond, 500*time.Millisecond, time.Second)
	p.idle = time.AfterFunc(restAfter, p.rest)
	return p
}

// do runs the work in a slot and returns its error. Without a slot it returns
// Busy, or the error of a context that ended first, and does not run the work.
func (p *slots) do(ctx context.Context, work func(*argon2.Arena) error) error {
	ctx, s := span.Start(ctx, span.PasswordWork)
	slot, err := p.enter(ctx)
	if err != nil {
		s.End(fault.From(err).Code)
		return err
	}
	defer s.End("")
	s.Reached("slot")
	start := time.Now() // a span by the monotonic clock
	defer func() { p.leave(slot, time.Since(start)) }()
	return atLowPriority(func() error { return work(slot) })
}

func (p *slots) enter(ctx context.Context) (*argon2.Arena, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	// The queue is fair: a channel hands a freed slot to its oldest receiver,
	// so a slot is available here only when no caller waits.
	select {
	case slot := <-p.free:
		return slot, nil
	default:
	}
	if err := p.join(); err != nil {
		return nil, err
	}
	timer := time.NewTimer(p.wait)
	defer timer.Stop()
	select {
	case slot := <-p.free:
		p.count(func(s *Stats) { s.Waiting-- })
		return slot, nil
	case <-ctx.Done():
		p.count(func(s *Stats) { s.Waiting--; s.Abandoned++ })
		return nil, ctx.Err()
	case <-timer.C:
		p.mu.Lock()
		defer p.mu.Unlock()
		p.stats.Waiting--
		return nil, p.refuse()
	}
}

// join takes a place in the queue unless it is full or too slow. A caller that
// would give up later is refused now.
func (p *slots) join() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.stats.Waiting >= p.queue || p.drain() > p.wait {
		return p.refuse()
	}
	p.stats.Waiting++
	return nil
}

// refuse counts a refusal. The caller holds the lock.
func (p *slots) refuse() error {
	p.stats.Refused++
	return Busy.WithRetryAfter(max(p.drain().Round(time.Second), time.Second))
}

// drain returns how long a new caller would wait. The caller holds the lock.
func (p *slots) drain() time.Duration {
	return p.stats.Pace * time.Duration(p.stats.Waiting+1) / time.Duration(p.stats.Slots)
}

func (p *slots) leave(slot *argon2.Arena, taken time.Duration) {
	if slot.Size() > p.keep { // a stored hash was more expensive than current ones
		slot.Release()
	}
	p.free <- slot
	p.idle.Reset(restAfter)
	p.taken.Observe(taken)
	p.count(func(s *Stats) {
		s.Finished++
		if s.Pace == 0 {
			s.Pace = taken
		}
		s.Pace += (taken - s.Pace) / 8
	})
}

func (p *slots) count(change func(*Stats)) {
	p.mu.Lock()
	defer p.mu.Unlock()
	change(&p.stats)
}

func (p *slots) figures() Stats {
	p.mu.Lock()
	defer p.mu.Unlock()
	s := p.stats
	s.Running = cap(p.free) - len(p.free)
	return s
}

// close is rest at once. The slots can still be used.
func (p *slots) close() {
	p.idle.Stop()
	p.rest()
}

// rest releases the memory of the slots when all are free.
func (p *slots) rest() {
	var slots []*argon2.Arena
	for range cap(p.free) {
		select {
		case slot := <-p.free:
			slot.Release()
			slots = append(slots, slot)
		default: // the last caller to leave sets the timer again
		}
	}
	for _, slot := range slots {
		p.free <- slot
	}
}
