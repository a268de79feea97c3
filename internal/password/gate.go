package password

import (
	"context"
	"sync"
	"time"
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

// gate admits work to the slots. It is safe for concurrent use.
type gate struct {
	slots chan struct{}
	queue int
	wait  time.Duration

	mu    sync.Mutex
	stats Stats
}

func newGate(slots, queue int, wait time.Duration) *gate {
	return &gate{slots: make(chan struct{}, slots), queue: queue, wait: wait, stats: Stats{Slots: slots}}
}

// do runs the work in a slot. Without one it returns Busy, or the error of the
// context that ended first; work is then not run.
func (g *gate) do(ctx context.Context, work func()) error {
	if err := g.enter(ctx); err != nil {
		return err
	}
	start := time.Now() // a span, not the time of day: the monotonic clock
	defer func() { g.leave(time.Since(start)) }()
	work()
	return nil
}

func (g *gate) enter(ctx context.Context) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	// Nobody overtakes: a channel hands a freed place to its oldest sender, so
	// that there is room here only while nobody waits.
	select {
	case g.slots <- struct{}{}:
		return nil
	default:
	}
	if err := g.join(); err != nil {
		return err
	}
	timer := time.NewTimer(g.wait)
	defer timer.Stop()
	select {
	case g.slots <- struct{}{}:
		g.count(func(s *Stats) { s.Waiting-- })
		return nil
	case <-ctx.Done():
		g.count(func(s *Stats) { s.Waiting--; s.Abandoned++ })
		return ctx.Err()
	case <-timer.C:
		g.mu.Lock()
		defer g.mu.Unlock()
		g.stats.Waiting--
		return g.refuse()
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

func (g *gate) leave(taken time.Duration) {
	<-g.slots
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
	s.Running = len(g.slots)
	return s
}
