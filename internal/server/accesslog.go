package server

import (
	"cmp"
	"log/slog"
	"net/http"
	"strings"
	"time"

	"portico/internal/fault"
	"portico/internal/telemetry/span"
)

// statusClientGone is the status in the log for a request whose client did not
// wait for the response. It is never sent.
const statusClientGone = 499

// logRequest writes the log entry of a request. It names the pattern of the
// route, not the path or the query, which may contain a token.
func (m *Mux) logRequest(e *exchange, r *http.Request, took time.Duration) {
	level := slog.LevelInfo
	switch {
	case e.status >= http.StatusInternalServerError:
		level = slog.LevelError
	case e.route != nil && e.route.quiet && e.status < http.StatusBadRequest:
		level = slog.LevelDebug
	}
	var more []slog.Attr
	if e.explain != nil && e.code != "" {
		more = e.explain(e.code, e.cause) // which may also keep it, whatever the level of the log
	}
	if !m.Log.Enabled(&e.ctx, level) {
		return
	}
	pattern := ""
	if e.route != nil {
		pattern = e.route.pattern
	}
	attrs := append(e.identity(),
		slog.String("method", knownMethod(r.Method)),
		slog.String("route", pattern),
		slog.Int("status", e.status),
		slog.Int64("bytes", e.bytes),
		slog.Float64("ms", float64(took.Microseconds())/1000),
		slog.String("client", ClientAddr(r).String()),
	)
	if e.code != "" {
		attrs = append(attrs, slog.String("code", e.code))
	}
	if e.cause != nil {
		attrs = append(attrs, slog.String("cause", Clip(e.cause.Error())))
	}
	entry := slog.NewRecord(e.started.Add(took), level, "request", 0) // Logger would find out the line of this call, which no log shows
	entry.AddAttrs(append(attrs, more...)...)
	_ = m.Log.Handler().Handle(&e.ctx, entry) // a Logger ignores its error too
}

// identity returns the first attributes of each log entry of a request: the
// request id, and the trace id if there is a trace. The slice has capacity for
// more.
func (e *exchange) identity() []slog.Attr {
	attrs := make([]slog.Attr, 0, 10)
	attrs = append(attrs, slog.String("request_id", e.ctx.id[0]))
	if trace := e.span.TraceID(); trace != "" {
		attrs = append(attrs, slog.String("trace_id", trace))
	}
	return attrs
}

// endSpan sets the result of the request. Like the log, it omits the path.
func (m *Mux) endSpan(e *exchange, r *http.Request) {
	if e.span.TraceID() == "" {
		e.span.End("")
		return
	}
	route := NoRoute
	if e.route != nil {
		route = e.route.path()
	}
	method := knownMethod(r.Method)
	e.span.Rename(method + " " + route)
	e.span.Set(span.Method(method), span.Route(route), span.Status(e.status), span.RequestID(e.ctx.id[0]))
	failure := ""
	if e.status == 0 || e.status >= http.StatusInternalServerError {
		failure = cmp.Or(e.code, fault.CodeInternal)
	}
	e.span.End(failure)
}

// Clip limits the length of a text that may quote input.
func Clip(s string) string {
	const limit = 1024 // bytes
	if len(s) <= limit {
		return s
	}
	return strings.ToValidUTF8(s[:limit], "") + "…"
}
