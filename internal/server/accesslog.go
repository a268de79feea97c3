package server

import (
	"log/slog"
	"net/http"
	"strings"
	"time"
)

// statusClientGone marks in the log a request whose client did not wait for the
// answer. It is never sent.
const statusClientGone = 499

// logRequest writes the one line of a request. It names the route's pattern
// and neither the path nor the query, which may hold a token.
func (m *Mux) logRequest(e *exchange, r *http.Request, took time.Duration) {
	level := slog.LevelInfo
	switch {
	case e.status >= http.StatusInternalServerError:
		level = slog.LevelError
	case e.route != nil && e.route.quiet && e.status < http.StatusBadRequest:
		level = slog.LevelDebug
	}
	if !m.log.Enabled(&e.ctx, level) {
		return
	}
	pattern := ""
	if e.route != nil {
		pattern = e.route.pattern
	}
	attrs := make([]slog.Attr, 0, 9)
	attrs = append(attrs,
		slog.String("request_id", e.ctx.id[0]),
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
		attrs = append(attrs, slog.String("cause", clip(e.cause.Error())))
	}
	m.log.LogAttrs(&e.ctx, level, "request", attrs...)
}

// clip bounds a text that may quote what somebody sent.
func clip(s string) string {
	const limit = 1024 // bytes
	if len(s) <= limit {
		return s
	}
	return strings.ToValidUTF8(s[:limit], "") + "…"
}
