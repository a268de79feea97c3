package server

import (
	"net/http"
	"sync/atomic"
	"time"

	"portico/internal/telemetry/tally"
)

// NoRoute stands in RequestStats for requests that reached no route.
const NoRoute = "none"

// otherMethod stands for every method of the client's invention.
const otherMethod = "other"

// methods are all that a log line or a figure may name.
var methods = [...]string{
	http.MethodGet, http.MethodHead, http.MethodPost, http.MethodPut, http.MethodPatch,
	http.MethodDelete, http.MethodConnect, http.MethodOptions, http.MethodTrace, otherMethod,
}

// methodIndex returns the place of a method in methods.
func methodIndex(method string) int {
	for i, known := range methods {
		if method == known {
			return i
		}
	}
	return len(methods) - 1
}

// knownMethod keeps a method of the client's invention out of the log.
func knownMethod(method string) string { return methods[methodIndex(method)] }

// RequestStats are the figures of one route and one method since the start.
type RequestStats struct {
	Route    string // the path of its pattern, "fallback", or NoRoute; never a path that was asked for
	Method   string
	Answers  [6]uint64 // by the first digit of the status; at 0 what was broken off without one
	Duration tally.Snapshot[time.Duration]
}

// requestBounds hold apart a session check (below a millisecond), a page, a
// password hash, and a wait in the hashing queue (up to five seconds).
func requestBounds() []time.Duration {
	return []time.Duration{
		time.Millisecond, 2500 * time.Microsecond, 5 * time.Millisecond, 10 * time.Millisecond, 25 * time.Millisecond,
		50 * time.Millisecond, 100 * time.Millisecond, 250 * time.Millisecond, 500 * time.Millisecond,
		time.Second, 2500 * time.Millisecond, 5 * time.Second, 10 * time.Second,
	}
}

// requests counts what one route answers. A method gets its figures with its
// first request, so that counting allocates nothing from then on.
type requests struct {
	byMethod [len(methods)]atomic.Pointer[figures]
}

type figures struct {
	answers  [6]atomic.Uint64
	duration *tally.Histogram[time.Duration]
}

// of returns the figures of a method.
func (q *requests) of(method int) *figures {
	at := &q.byMethod[method]
	if f := at.Load(); f != nil {
		return f
	}
	at.CompareAndSwap(nil, &figures{duration: tally.New(requestBounds()...)})
	return at.Load()
}

func (q *requests) count(method string, status int, took time.Duration) {
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

// Stats returns the figures of every route, of each method that it was asked
// with or is meant for.
func (m *Mux) Stats() []RequestStats {
	list := m.unrouted.stats(NoRoute)
	for _, rt := range m.all {
		list = append(list, rt.requests.stats(rt.path())...)
	}
	return list
}
