package throttle

import (
	"time"

	"portico/internal/clock"
)

// Limit is a named limit. With Free it is a ladder: the first Free tries in a
// row pass at once, each later one only after a wait that doubles from
// FirstWait to LastWait, and after Count in a row none passes until Clear.
// Without Free it is a window: Count tries in each Window.
type Limit struct {
	Name   string
	Count  int
	Window time.Duration // for a ladder: how long the row is remembered

	Free      int
	FirstWait time.Duration
	LastWait  time.Duration
}

// State is what is remembered of one key under one limit. The zero State is a
// key that was never seen.
type State struct {
	Count int
	Last  time.Time // the last counted try
	Until time.Time // when the state may be forgotten
}

// Decision of one try.
type Decision struct {
	Allowed bool
	Left    int           // tries that remain after this one
	Pause   time.Duration // after this try of a ladder, when Allowed
	Wait    time.Duration // until the next try may pass, when not Allowed
	By      string        // name of the limit that refused
}

// Next counts a try at now and decides. A try that is not allowed is not
// counted: a wait is not made longer by asking.
func (l Limit) Next(s State, now time.Time) (State, Decision) {
	if !now.Before(s.Until) {
		s = State{}
	}
	if clock.Ahead(s.Last, now) {
		s = l.rebase(s, now)
	}
	if l.Free > 0 {
		return l.climb(s, now)
	}
	if s.Count >= l.Count {
		return s, Decision{Wait: min(s.Until.Sub(now), l.Window), By: l.Name} // another node's clock may be ahead
	}
	if s.Count == 0 {
		s.Until = now.Add(l.Window)
	}
	s.Count++
	s.Last = now
	return s, Decision{Allowed: true, Left: l.Count - s.Count}
}

// rebase returns a state that was written before the clock was set back: nobody
// waits longer than the limit says, however far that was. A row is remembered
// with its tries and no wait; a window begins anew.
func (l Limit) rebase(s State, now time.Time) State {
	if l.Free == 0 {
		return State{}
	}
	return State{Count: s.Count, Until: now.Add(l.Window)}
}

func (l Limit) climb(s State, now time.Time) (State, Decision) {
	if s.Count >= l.Count {
		return s, Decision{Wait: min(s.Until.Sub(now), l.Window), By: l.Name}
	}
	if wait := s.Last.Add(l.wait(s.Count)).Sub(now); s.Count >= l.Free && wait > 0 {
		// A clock that was set back must not lengthen the wait.
		return s, Decision{Wait: min(wait, l.wait(s.Count)), By: l.Name}
	}
	s.Count++
	s.Last = now
	s.Until = now.Add(l.Window)
	return s, Decision{Allowed: true, Left: max(0, l.Free-s.Count), Pause: l.wait(s.Count)}
}

// wait returns the pause after count tries in a row.
func (l Limit) wait(count int) time.Duration {
	if count < l.Free {
		return 0
	}
	wait := l.FirstWait
	for range count - l.Free {
		if wait *= 2; wait >= l.LastWait {
			return l.LastWait
		}
	}
	return wait
}
