package server

import (
	"context"
	"log/slog"
	"net/http"
	"runtime/debug"
	"time"

	"portico/internal/budget"
	"portico/internal/ids"
	"portico/internal/telemetry/span"
)

// requestIDKey is under which the context of a request has its id.
type requestIDKey struct{}

// requestContext carries what belongs to a request inside the exchange, which
// saves the allocation of contexts of their own.
type requestContext struct {
	context.Context
	id     [1]string // an array, so that it also serves as the header's value
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

// RequestID returns the id of the request being answered: the one in its
// answer and in its log lines. It is empty outside a request.
func RequestID(ctx context.Context) string {
	id, _ := ctx.Value(requestIDKey{}).(string)
	return id
}

// exchange is one request being answered: the ResponseWriter that handlers
// get, and what the log line tells about it.
type exchange struct {
	http.ResponseWriter
	mux     *Mux
	ctx     requestContext
	started time.Time
	span    span.Span
	route   *route // nil until one is found
	trusted bool   // whether the peer is a trusted proxy
	status  int    // 0 until the answer begins
	bytes   int64
	held    bool          // while net/http answers instead of a route
	bare    bool          // whether the answer is another program's
	about   *http.Request // what a failure is a page about, nil for the request itself
	json    bool          // whether a program reads the answer, and no browser shows it
	code    string
	cause   error
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

// FlushError begins the answer, which net/http would begin without us.
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

// begin gives the request its id and its span.
func (m *Mux) begin(w http.ResponseWriter, r *http.Request) (*exchange, *http.Request) {
	e := &exchange{ResponseWriter: w, mux: m, started: time.Now()}
	if e.ctx.Context = r.Context(); m.spans != nil {
		e.ctx.Context, e.span = m.spans.Request(r, m.fromProxy(r))
	}
	e.ctx.id[0] = ids.New()
	e.Header()["X-Request-Id"] = e.ctx.id[:]
	return e, r.WithContext(&e.ctx)
}

// end is deferred around the whole request: it turns a panic into one 500,
// counts the answer and writes the log line.
func (m *Mux) end(e *exchange, r *http.Request) {
	thrown := recover()
	aborted := thrown == http.ErrAbortHandler
	if thrown != nil && !aborted {
		m.log.LogAttrs(&e.ctx, slog.LevelError, "panic",
			append(e.identity(),
				slog.Any("panic", thrown),
				slog.String("stack", string(debug.Stack())))...)
		aborted = !m.answerPanic(e, r)
	}
	if thrown == nil && e.status == 0 {
		e.WriteHeader(http.StatusOK) // what net/http sends for a handler that wrote nothing
	}
	took := time.Since(e.started)
	counted := &m.unrouted
	if e.route != nil {
		counted = &e.route.requests
	}
	counted.count(r.Method, e.status, took)
	m.logRequest(e, r, took)
	m.endSpan(e, r)
	if aborted {
		panic(http.ErrAbortHandler) // net/http ends the connection, so that half an answer does not look whole
	}
}

// answerPanic answers a request whose handler panicked. It reports false when
// an answer had already begun, or when answering panics as well.
func (m *Mux) answerPanic(e *exchange, r *http.Request) (answered bool) {
	if e.status != 0 && !e.held {
		return false
	}
	defer func() { answered = recover() == nil }()
	e.held, e.status = false, 0
	m.fail(e, r, errPanic)
	return true
}
