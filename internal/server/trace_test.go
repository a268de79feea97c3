package server_test

import (
	"errors"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	sdk "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"

	"portico/internal/fault"
	"portico/internal/logtest"
	"portico/internal/server"
	"portico/internal/telemetry/span"
)

// Every request has one span with its route and status, and all its log entries
// have its ids. This also holds if its handler panics.
func TestSpans(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		handler server.Handler
		target  string
		span    string
		status  int
		failure string
	}{
		"answered": {ok, "/auth/api/flows/canary", "GET /auth/api/flows/{id}", 200, ""},
		"no route": {ok, "/canary?token=canary", "GET none", 404, ""},
		"mistake": {func(http.ResponseWriter, *http.Request) error { return fault.New(fault.Invalid, "test.count") },
			"/auth/api/flows/a", "GET /auth/api/flows/{id}", 422, ""},
		"defect": {func(http.ResponseWriter, *http.Request) error { return errors.New("canary") },
			"/auth/api/flows/a", "GET /auth/api/flows/{id}", 500, "internal"},
		"panic": {func(http.ResponseWriter, *http.Request) error { panic("canary") },
			"/auth/api/flows/a", "GET /auth/api/flows/{id}", 500, "internal"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			recorded := tracetest.NewSpanRecorder()
			log := &logtest.Buffer{}
			m := server.NewMux(server.Config{
				PublicURL: &url.URL{Scheme: "https", Host: publicHost}, Catalogue: catalogue(t), Log: debugLog(log),
				Spans: span.NewSource(sdk.NewTracerProvider(sdk.WithSpanProcessor(recorded))),
			})
			m.Handle("GET /auth/api/flows/{id}", c.handler)
			w := httptest.NewRecorder()
			m.ServeHTTP(w, request("GET", c.target, ""))
			spans := recorded.Ended()
			if len(spans) != 1 {
				t.Fatalf("%d spans have ended", len(spans))
			}
			got := map[attribute.Key]string{}
			for _, a := range spans[0].Attributes() {
				got[a.Key] = a.Value.String()
				if strings.Contains(a.Value.String(), "canary") {
					t.Errorf("the span says %v", a)
				}
			}
			if spans[0].Name() != c.span || spans[0].Attributes() == nil || w.Code != c.status || got["error.type"] != c.failure || (spans[0].Status().Code == codes.Error) != (c.failure != "") {
				t.Errorf("the span %s of an answer %d says %v, %v", spans[0].Name(), w.Code, got, spans[0].Status())
			}
			for line := range strings.Lines(log.String()) {
				if !strings.Contains(line, `"request_id":"`+got["portico.request_id"]+`","trace_id":"`+spans[0].SpanContext().TraceID().String()+`"`) {
					t.Errorf("the line %s is of no request or no trace", line)
				}
			}
		})
	}
}
