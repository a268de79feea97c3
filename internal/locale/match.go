package locale

import "sync"

// mostMatches is how many headers are remembered. The browsers of an installation
// send a few dozen.
const mostMatches = 256

// matches remembers the locale of each Accept-Language header: finding it takes
// longer than a session check.
type matches struct {
	mu sync.RWMutex
	of map[string]string
}

func newMatches() *matches { return &matches{of: make(map[string]string)} }

// get returns the locale of a header, which find knows. Headers beyond the limit take
// the place of all others, so that invented ones cost no memory.
func (m *matches) get(header string, find func(string) string) string {
	m.mu.RLock()
	loc, ok := m.of[header]
	m.mu.RUnlock()
	if ok {
		return loc
	}
	loc = find(header)
	m.mu.Lock()
	defer m.mu.Unlock()
	if len(m.of) >= mostMatches {
		clear(m.of)
	}
	m.of[header] = loc
	return loc
}
