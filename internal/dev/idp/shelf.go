package idp

import (
	"sync"
	"time"

	"portico/internal/clock"
	"portico/internal/secret"
)

// shelf keeps values under random tokens until they expire. It is safe for
// concurrent use.
type shelf[T any] struct {
	clock clock.Clock
	life  time.Duration

	mu    sync.Mutex
	items map[string]item[T]
}

type item[T any] struct {
	value T
	ends  time.Time
}

func newShelf[T any](c clock.Clock, life time.Duration) *shelf[T] {
	return &shelf[T]{clock: c, life: life, items: make(map[string]item[T])}
}

// put stores a value and returns its token. It also removes expired values.
func (s *shelf[T]) put(value T) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	now := s.clock.Now()
	for token, it := range s.items {
		if !it.ends.After(now) {
			delete(s.items, token)
		}
	}
	token := secret.Token()
	s.items[token] = item[T]{value, now.Add(s.life)}
	return token
}

func (s *shelf[T]) get(token string) (T, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.live(token)
}

// take returns and removes a value. Only one of two callers with the same token gets it.
func (s *shelf[T]) take(token string) (T, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	value, ok := s.live(token)
	delete(s.items, token)
	return value, ok
}

func (s *shelf[T]) live(token string) (T, bool) {
	it, ok := s.items[token]
	if !ok || !it.ends.After(s.clock.Now()) {
		var none T
		return none, false
	}
	return it.value, true
}
