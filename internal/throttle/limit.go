package throttle

import (
	"time"

	"portico/internal/clock"
)

// Limit is a named limit. With Free it is a ladder: the first Free attempts in
// a row pass at once. Each later one must wait, and the wait doubles from
// FirstWait to LastWait. After Count attempts in a row none passes until Clear, or until Window has passed.
// Without Free it is a window: Count attempts in each Window.
type Limit struct {
	Name   string
	Count  int
	Window time.Duration // for a ladder: how long attempts are remembered

	Free      int
	FirstWait time.Duration
	LastWait  time.Duration
}

// State is what is stored for one key under one limit. The zero State is an
// unknown key.
type State struct {
	Count int
	Last  time.Time // the last counted attempt
	Until time.Time // when the state may be forgotten
}

// Decision is the result of one attempt.
type Decision struct {
	Allowed bool
	Left    int           // attempts that pass without a wait after this one
	Pause   time.Duration // after this attempt of a ladder, when Allowed
	Wait    time.Duration // until the next attempt may pass, when not Allowed
	By      string        // name of the limit that refused the attempt
}

// Next counts an attempt at now and decides. A refused attempt is not counted,
// so asking does not prolong a wait.
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

// rebase returns the state for a clock that was set back since the state was
// written. A wait is never longer than the limit says. A ladder keeps its
// attempts without a wait; a window starts again.
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

// wait returns the pause after count attempts in a row.
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
