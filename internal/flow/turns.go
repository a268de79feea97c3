package flow

import "sync"

// turns are the names of the actors who do something long on this node, each of them once at a time. It is safe
// for concurrent use.
type turns struct {
	most int // of all together
	mu   sync.Mutex
	now  map[string]bool
}

func newTurns(most int) *turns { return &turns{most: most, now: map[string]bool{}} }

// enter takes a turn until leave is called. Whoever is slow does not hinder others, who have turns of their own.
func (t *turns) enter(name string) (leave func(), ok bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.now[name] || len(t.now) >= t.most {
		return nil, false
	}
	t.now[name] = true
	return func() {
		t.mu.Lock()
		defer t.mu.Unlock()
		delete(t.now, name)
	}, true
}
