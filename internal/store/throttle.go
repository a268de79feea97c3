package store

import (
	"context"

	"portico/internal/throttle"
)

// LockThrottle implements throttle.Store.
func (t *Tx) LockThrottle(ctx context.Context, key string) (throttle.State, error) {
	if t.core.Locks.Throttle == "" {
		return t.ThrottleState(ctx, key)
	}
	return only(ctx, t, t.core.Locks.Throttle, []any{key}, scanThrottle)
}

// ThrottleState implements throttle.Store.
func (t *Tx) ThrottleState(ctx context.Context, key string) (throttle.State, error) {
	return only(ctx, t, `SELECT attempts, last_at, forget_at FROM throttle WHERE key = $1`, []any{key}, scanThrottle)
}

func scanThrottle(row scanner) (throttle.State, error) {
	var s throttle.State
	var last, until int64
	err := row.Scan(&s.Count, &last, &until)
	s.Last, s.Until = fromMicros(last), fromMicros(until)
	return s, err
}

// SaveThrottle implements throttle.Store.
func (t *Tx) SaveThrottle(ctx context.Context, key string, s throttle.State) error {
	return t.run(ctx, `INSERT INTO throttle (key, attempts, last_at, forget_at) VALUES ($1, $2, $3, $4)
		ON CONFLICT (key) DO UPDATE SET attempts = $2, last_at = $3, forget_at = $4`,
		key, s.Count, micros(s.Last), micros(s.Until))
}

// DeleteThrottle implements throttle.Store.
func (t *Tx) DeleteThrottle(ctx context.Context, key string) error {
	return t.run(ctx, `DELETE FROM throttle WHERE key = $1`, key)
}
