package security

import (
	"net/http"
	"sync"
)

// browsers are the connections of all visitors of a site and its nodes.
type browsers struct {
	mu  sync.Mutex
	all []*http.Transport
}

// add returns the transport. It is safe for concurrent use.
func (b *browsers) add(t *http.Transport) *http.Transport {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.all = append(b.all, t)
	return t
}

// closeIdle closes the kept connections of visitors before a node stops. The node would
// close its side. On a busy machine, a visitor may notice that too late, send a POST that
// nothing reads, and get EOF.
func (b *browsers) closeIdle() {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, t := range b.all {
		t.CloseIdleConnections()
	}
}
