package server

import (
	"net/http"
	"sync/atomic"
	"time"

	"portico/internal/telemetry/tally"
)

// NoRoute is the route in RequestStats of requests without a route.
const NoRoute = "none"

// otherMethod replaces unknown methods.
const otherMethod = "other"

// methods are the only methods in logs and metrics.
var methods = [...]string{
	http.MethodGet, http.MethodHead, http.MethodPost, http.MethodPut, http.MethodPatch,
	http.MethodDelete, http.MethodConnect, http.MethodOptions, http.MethodTrace, otherMethod,
}

// methodIndex returns the index of a method in methods.
func methodIndex(method string) int {
	for i, known := range methods {
		if method == known {
			return i
		}
	}
	return len(methods) - 1
}

// knownMethod replaces an unknown method, so that clients cannot write into the
// log.
func knownMethod(method string) string { return methods[methodIndex(method)] }

// RequestStats are the counters of one route and one method since the start.
type RequestStats struct {
	Route    string    // path of its pattern, "fallback" or NoRoute; never the requested path
	Method   string    // GET stands for HEAD too
	Answers  [6]uint64 // by the first digit of the status; 0 counts aborted responses
	Duration tally.Snapshot[time.Duration]
}

// requestBounds separate a session check (less than a millisecond), a page, a
// password hash, and a wait in the hashing queue (up to five seconds). Each bound is a
// series for each route and method.
func requestBounds() []time.Duration {
	return []time.Duration{
		time.Millisecond, 5 * time.Millisecond, 25 * time.Millisecond, 100 * time.Millisecond, 250 * time.Millisecond,
		time.Second, 5 * time.Second,
	}
}

// requests counts the responses of one route. Counting allocates only for the
// first request with a method.
type requests struct {
	byMethod [len(methods)]atomic.Pointer[figures]
}

type figures struct {
	answers  [6]atomic.Uint64
	duration *tally.Histogram[time.Duration]
}

// of returns the counters of a method.
func (q *requests) of(method int) *figures {
	at := &q.byMethod[method]
	if f := at.Load(); f != nil {
		return f
	}
	at.CompareAndSwap(nil, &figures{duration: tally.New(requestBounds()...)})
	return at.Load()
}

// count counts HEAD as GET, because each route of GET answers both.
func (q *requests) count(method string, status int, took time.Duration) {
	if method == http.MethodHead {
		method = http.MethodGet
	}
	f := q.of(methodIndex(method))
	f.answers[min(max(status/100, 0), len(f.answers)-1)].Add(1)
	f.duration.Observe(took)
}

func (q *requests) stats(route string) []RequestStats {
	var list []RequestStats
	for i := range q.byMethod {
		f := q.byMethod[i].Load()
		if f == nil {
			continue
		}
		s := RequestStats{Route: route, Method: methods[i], Duration: f.duration.Snapshot()}
		for class := range f.answers {
			s.Answers[class] = f.answers[class].Load()
		}
		list = append(list, s)
	}
	return list
}

// Stats returns the counters of each route, for each method that it supports or
// was requested with.
func (m *Mux) Stats() []RequestStats {
	list := m.unrouted.stats(NoRoute)
	for _, rt := range m.all {
		list = append(list, rt.requests.stats(rt.path())...)
	}
	return list
}
