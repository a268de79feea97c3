package throttle

import (
	"context"
	"encoding/hex"
)

// keys returns the keys of the rows of an attempt, under the current master key
// first.
func (l *Limiter) keys(t Attempt) (keys []string) {
	for _, sum := range l.mac.Sums(t.Limit.Name, t.Subject) {
		keys = append(keys, hex.EncodeToString(sum[:16]))
	}
	return keys
}

// lock returns the state of an attempt and keeps others from changing it. A count
// that began under another master key goes on, so that a change of the key gives
// no one more attempts.
func (l *Limiter) lock(ctx context.Context, tx Store, t Attempt) (State, error) {
	keys := l.keys(t)
	s, err := tx.LockThrottle(ctx, keys[0])
	for _, other := range keys[1:] {
		if err != nil || s != (State{}) {
			return s, err
		}
		if seen, err := tx.ThrottleState(ctx, other); err != nil || seen == (State{}) {
			return s, err
		}
		if s, err = tx.LockThrottle(ctx, other); err != nil {
			return s, err
		}
		if err = tx.SaveThrottle(ctx, keys[0], s); err == nil {
			err = tx.DeleteThrottle(ctx, other)
		}
	}
	return s, err
}

// state returns the state of an attempt without a lock.
func (l *Limiter) state(ctx context.Context, tx Store, t Attempt) (s State, err error) {
	for _, key := range l.keys(t) {
		if s, err = tx.ThrottleState(ctx, key); err != nil || s != (State{}) {
			return s, err
		}
	}
	return s, nil
}
