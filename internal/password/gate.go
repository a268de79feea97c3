package password

import (
	"context"
	"sync"
	"time"

	"portico/internal/fault"
	"portico/internal/password/argon2"
	"portico/internal/span"
	"portico/internal/tally"
)

// Stats are the figures of the hashing slots. The counts grow from the start
// of the process.
type Stats struct {
	Slots   int
	Running int           // work in a slot now
	Waiting int           // work in the queue now
	Pace    time.Duration // moving average of the time that a slot is taken

	Finished  uint64 // work done
	Refused   uint64 // turned away: the queue was full or the wait too long
	Abandoned uint64 // left the queue because the caller's context ended
}

// restAfter is how long no slot must have been used before their memory is
// given back: longer than the pauses of an evening with few people.
const restAfter = time.Minute

// gate admits work to the slots. It is safe for concurrent use.
type gate struct {
	free  chan *argon2.Arena // the slots that are not taken: each is its memory
	keep  uint32             // KiB that a slot may hold while it is free
	queue int
	wait  time.Duration
	idle  *time.Timer

	mu    sync.Mutex
	stats Stats
	taken *tally.Histogram[time.Duration] // of a slot, by one piece of work
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
// Busy, or the error of the context that ended first; work is then not run.
func (g *gate) do(ctx context.Context, work func(*argon2.Arena) error) error {
	ctx, s := span.Start(ctx, span.PasswordWork)
	slot, err := g.enter(ctx)
	if err != nil {
		s.End(fault.From(err).Code)
		return err
	}
	defer s.End("")
	s.Reached("slot")
	start := time.Now() // a span, not the time of day: the monotonic clock
	defer func() { g.leave(slot, time.Since(start)) }()
	return aside(func() error { return work(slot) })
}

func (g *gate) enter(ctx context.Context) (*argon2.Arena, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	// Nobody overtakes: a channel hands a freed slot to its oldest receiver, so
	// that there is one here only while nobody waits.
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

// join takes a place in the queue unless it is full or too slow: who would give
// up later had better be told now.
func (g *gate) join() error {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.stats.Waiting >= g.queue || g.drain() > g.wait {
		return g.refuse()
	}
	g.stats.Waiting++
	return nil
}

// refuse needs the lock.
func (g *gate) refuse() error {
	g.stats.Refused++
	return Busy.WithRetryAfter(max(g.drain().Round(time.Second), time.Second))
}

// drain returns how long somebody who joined now would wait. It needs the lock.
func (g *gate) drain() time.Duration {
	return g.stats.Pace * time.Duration(g.stats.Waiting+1) / time.Duration(g.stats.Slots)
}

func (g *gate) leave(slot *argon2.Arena, taken time.Duration) {
	if slot.Size() > g.keep { // a stored hash was dearer than those of today
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

// rest gives the memory of the slots back when all are free.
func (g *gate) rest() {
	var slots []*argon2.Arena
	for range cap(g.free) {
		select {
		case slot := <-g.free:
			slot.Release()
			slots = append(slots, slot)
		default: // who leaves sets the timer anew
		}
	}
	for _, slot := range slots {
		g.free <- slot
	}
}
