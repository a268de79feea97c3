package flow

import (
	"sync"
	"time"
)

const (
	// readAtOnce is how many files of people a node reads at the same time, one of each admin and key: whoever
	// sends a file slowly does not hinder others.
	readAtOnce = 3
	// readPause is after how long a file without a turn may be sent again.
	readPause = 10 * time.Second
)

// importTurns are the names of the actors whose files are read now. It is safe for concurrent use.
type importTurns struct {
	mu  sync.Mutex
	now map[string]bool
}

// enter takes a turn until leave is called. It returns ImportBusy if there is none.
func (t *importTurns) enter(name string) (leave func(), err error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.now[name] || len(t.now) == readAtOnce {
		return nil, ImportBusy
	}
	t.now[name] = true
	return func() {
		t.mu.Lock()
		defer t.mu.Unlock()
		delete(t.now, name)
	}, nil
}
