package throttle

import (
	"context"
	"maps"
	"sync"
	"time"

	"portico/internal/clock"
	"portico/internal/secret"
)

// Store has the operations of the database that this package needs.
type Store interface {
	// LockThrottle returns the state of the key and keeps others from
	// changing it until the transaction ends.
	LockThrottle(ctx context.Context, key string) (State, error)
	// ThrottleState returns the state of the key without a lock.
	ThrottleState(ctx context.Context, key string) (State, error)
	SaveThrottle(ctx context.Context, key string, s State) error
	DeleteThrottle(ctx context.Context, key string) error
}

// Limiter counts attempts. It is safe for concurrent use.
type Limiter struct {
	clock clock.Clock
	mac   *secret.MAC

	mu      sync.Mutex
	refused map[string]uint64
}

// NewLimiter returns a Limiter.
func NewLimiter(key *secret.Key, c clock.Clock) *Limiter {
	return &Limiter{clock: c, mac: key.MAC("throttle"), refused: make(map[string]uint64)}
}

// Attempt is one attempt under one limit, for one subject: an address or a network.
type Attempt struct {
	Limit   Limit
	Subject string
	Times   int // how many attempts Take counts, all or none; one when zero
}

// Take counts the attempts, all or none: when one limit refuses, the others
// stay as they were. It returns the decision that matters: the longest wait, or
// the fewest attempts left.
//
// The caller commits the count before it answers. It may count in the
// transaction that checks the guess, but that transaction may roll back only if
// its answer reveals nothing about the guess.
func (l *Limiter) Take(ctx context.Context, tx Store, attempts ...Attempt) (Decision, error) {
	now := l.clock.Now()
	decided := Decision{Allowed: true, Left: -1}
	next := make([]State, len(attempts))
	for i, t := range attempts {
		state, err := l.lock(ctx, tx, t)
		if err != nil {
			return Decision{}, err
		}
		d := Decision{Allowed: true}
		for n := max(1, t.Times); n > 0 && d.Allowed; n-- {
			state, d = t.Limit.Next(state, now)
		}
		next[i] = state
		switch {
		case !d.Allowed && d.Wait > decided.Wait:
			decided = d
		case decided.Allowed && (decided.Left < 0 || d.Left < decided.Left):
			decided.Left = d.Left
		}
		decided.Pause = max(decided.Pause, d.Pause)
	}
	if !decided.Allowed {
		l.refuse(decided.By)
		return decided, nil
	}
	for i, t := range attempts {
		if err := tx.SaveThrottle(ctx, l.keys(t)[0], next[i]); err != nil {
			return Decision{}, err
		}
	}
	return decided, nil
}

func (l *Limiter) refuse(limit string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.refused[limit]++
}

// Refused returns how many calls of Take each limit has refused since the
// start, by its name. Limits without a refusal are missing. A transaction that is
// repeated counts again: a count after the commit would miss the steps that undo
// theirs because they are refused.
func (l *Limiter) Refused() map[string]uint64 {
	l.mu.Lock()
	defer l.mu.Unlock()
	return maps.Clone(l.refused)
}

// Return takes counted attempts back, for limits that count failures only.
func (l *Limiter) Return(ctx context.Context, tx Store, attempts ...Attempt) error {
	for _, t := range attempts {
		s, err := l.lock(ctx, tx, t)
		if err != nil {
			return err
		}
		if s.Count == 0 {
			continue
		}
		s.Count--
		if err := tx.SaveThrottle(ctx, l.keys(t)[0], s); err != nil {
			return err
		}
	}
	return nil
}

// Clear forgets the attempts of a subject, after it has proved its identity.
func (l *Limiter) Clear(ctx context.Context, tx Store, t Attempt) error {
	for _, key := range l.keys(t) {
		if err := tx.DeleteThrottle(ctx, key); err != nil {
			return err
		}
	}
	return nil
}

// Left returns how many attempts of a window remain, without counting one.
func (l *Limiter) Left(ctx context.Context, tx Store, t Attempt) (int, error) {
	s, err := l.state(ctx, tx, t)
	if now := l.clock.Now(); err != nil || !now.Before(s.Until) || clock.Ahead(s.Last, now) { // as Next
		return t.Limit.Count, err
	}
	return max(0, t.Limit.Count-s.Count), nil
}

// Wait returns for how long an attempt would be refused, 0 when it would pass,
// without counting it.
func (l *Limiter) Wait(ctx context.Context, tx Store, attempts ...Attempt) (longest time.Duration, err error) {
	for _, t := range attempts {
		s, err := l.state(ctx, tx, t)
		if err != nil {
			return 0, err
		}
		_, d := t.Limit.Next(s, l.clock.Now())
		longest = max(longest, d.Wait)
	}
	return longest, nil
}

// Standing is where a subject stands under a limit.
type Standing struct {
	Used   int
	Passes time.Time // when the next attempt passes; zero if it would pass now
	Clear  time.Time // when the attempts are forgotten
}

// Stand returns where the subject of the attempt stands, without counting it. It
// returns false if no attempt is remembered.
func (l *Limiter) Stand(ctx context.Context, tx Store, t Attempt) (Standing, bool, error) {
	now := l.clock.Now()
	s, err := l.state(ctx, tx, t)
	if err != nil || s.Count == 0 || !now.Before(s.Until) {
		return Standing{}, false, err
	}
	standing := Standing{Used: s.Count, Clear: s.Until}
	if _, d := t.Limit.Next(s, now); d.Wait > 0 {
		standing.Passes = now.Add(d.Wait)
	}
	return standing, true, nil
}

// Rounded returns a wait in whole seconds, at least one, for use in responses.
func Rounded(d time.Duration) time.Duration {
	return max(time.Second, (d + time.Second - 1).Truncate(time.Second))
}
