package server

import (
	"bufio"
	"context"
	"log/slog"
	"net"
	"net/http"
	"runtime/debug"
	"time"

	"portico/internal/budget"
	"portico/internal/ids"
	"portico/internal/telemetry/span"
)

// requestIDKey is the context key of the request id.
type requestIDKey struct{}

// requestContext holds the context values of a request. It is part of the
// exchange, which saves allocations.
type requestContext struct {
	context.Context
	id     [1]string // an array, so that it is also the value of the header
	budget budget.Budget
}

func (c *requestContext) Value(key any) any {
	switch key.(type) {
	case requestIDKey:
		return c.id[0]
	case budget.Key:
		return &c.budget
	}
	return c.Context.Value(key)
}

// RequestID returns the id of the current request, as in its response and log
// entries. It returns "" outside a request.
func RequestID(ctx context.Context) string {
	id, _ := ctx.Value(requestIDKey{}).(string)
	return id
}

// exchange is one request and its response. It is the ResponseWriter of
// handlers, and collects the values of the log entry.
type exchange struct {
	http.ResponseWriter
	mux     *Mux
	ctx     requestContext
	request *http.Request
	started time.Time
	span    span.Span
	route   *route // nil until a route is found
	trusted bool   // whether the peer is a trusted proxy
	status  int    // 0 until the response begins
	bytes   int64
	asSent  bool          // two programs could read the target differently, and an app takes it
	held    bool          // discard writes: ServeMux writes and not a route
	bare    bool          // the response comes from an app
	about   *http.Request // the request that an error page is about; nil for the request itself
	json    bool          // the response is for programs, so it needs fewer headers
	code    string
	cause   error
	beside  *route                                     // for a method that the path does not have: its route for another one
	explain func(code string, cause error) []slog.Attr // explains a refusal; nil for none
}

// Unwrap lets http.ResponseController reach the connection.
func (e *exchange) Unwrap() http.ResponseWriter { return e.ResponseWriter }

func (e *exchange) WriteHeader(status int) {
	if e.held {
		e.status = status
		return
	}
	if e.status == 0 && (status >= http.StatusOK || status == http.StatusSwitchingProtocols) {
		e.status = status
		e.complete()
	}
	e.ResponseWriter.WriteHeader(status)
}

// Hijack takes the connection for a WebSocket. The 101 response is written on the connection
// itself, and nothing may begin another one.
func (e *exchange) Hijack() (net.Conn, *bufio.ReadWriter, error) {
	c, rw, err := http.NewResponseController(e.ResponseWriter).Hijack()
	if err == nil {
		e.status = http.StatusSwitchingProtocols
	}
	return c, rw, err
}

// FlushError begins the response before it flushes. Otherwise net/http would
// begin it without complete.
func (e *exchange) FlushError() error {
	if e.status == 0 {
		e.WriteHeader(http.StatusOK)
	}
	return http.NewResponseController(e.ResponseWriter).Flush()
}

func (e *exchange) Write(p []byte) (int, error) {
	if e.held {
		return len(p), nil
	}
	if e.status == 0 {
		e.WriteHeader(http.StatusOK)
	}
	n, err := e.ResponseWriter.Write(p)
	e.bytes += int64(n)
	return n, err
}

// begin assigns the request its id and its span.
func (m *Mux) begin(w http.ResponseWriter, r *http.Request) (*exchange, *http.Request) {
	e := &exchange{ResponseWriter: w, mux: m, started: time.Now()}
	if e.ctx.Context = r.Context(); m.Spans != nil {
		e.ctx.Context, e.span = m.Spans.Request(r, m.fromProxy(r))
	}
	e.ctx.id[0] = ids.New()
	e.Header()["X-Request-Id"] = e.ctx.id[:]
	e.request = r.WithContext(&e.ctx)
	return e, e.request
}

// end is deferred around each request. It turns a panic into a response with
// status 500, counts the response and writes the log entry.
func (m *Mux) end(e *exchange, r *http.Request) {
	thrown := recover()
	aborted := thrown == http.ErrAbortHandler
	if thrown != nil && !aborted {
		m.Log.LogAttrs(&e.ctx, slog.LevelError, "panic",
			append(e.identity(),
				slog.Any("panic", thrown),
				slog.String("stack", string(debug.Stack())))...)
		aborted = !m.answerPanic(e, r)
	}
	if thrown == nil && e.status == 0 {
		e.WriteHeader(http.StatusOK) // as net/http does for a handler that wrote nothing
	}
	took := time.Since(e.started)
	counted := m.unrouted
	if e.route != nil {
		counted = e.route.requests
	}
	counted.count(r.Method, e.status, took)
	m.logRequest(e, r, took)
	m.endSpan(e, r)
	if aborted {
		panic(http.ErrAbortHandler) // net/http closes the connection, so that a partial response does not look complete
	}
}

// answerPanic writes the response for a handler that panicked. It reports false
// if a response had already begun, or if writing it panics too.
func (m *Mux) answerPanic(e *exchange, r *http.Request) (answered bool) {
	if e.status != 0 && !e.held {
		return false
	}
	defer func() { answered = recover() == nil }()
	e.held, e.status = false, 0
	m.fail(e, r, errPanic)
	return true
}
