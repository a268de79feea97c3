package span

import (
	"context"
	"net/http"
	"strings"

	"go.opentelemetry.io/otel/propagation"
	"go.opentelemetry.io/otel/trace"
)

// The headers of W3C Trace Context.
const (
	Traceparent = "Traceparent"
	Tracestate  = "Tracestate"
)

// Onward is what an upstream server is told about the trace of a request.
type Onward struct {
	Parent string // the value of traceparent; "" when nothing is traced, and the header that was sent stays
	State  bool   // whether the tracestate that was sent belongs to this trace
}

// OnwardOf returns the trace of the context for a request with the given
// header, whether or not the trace is recorded. A client cannot know the id of
// a trace that starts here, so a header with that id means that the trace came
// from the client.
func OnwardOf(ctx context.Context, sent http.Header) Onward {
	s := trace.SpanContextFromContext(ctx)
	if !s.IsValid() {
		return Onward{}
	}
	h := propagation.HeaderCarrier{}
	propagation.TraceContext{}.Inject(ctx, h)
	return Onward{Parent: h.Get(Traceparent), State: strings.Contains(sent.Get(Traceparent), s.TraceID().String())}
}

// Drops reports whether a header that was sent is not passed on: Parent
// replaces it, or it belongs to another trace.
func (o Onward) Drops(name string) bool {
	return o.Parent != "" && (name == Traceparent || name == Tracestate && !o.State)
}

// Put sets the trace headers of a request.
func (o Onward) Put(h http.Header) {
	for _, name := range []string{Traceparent, Tracestate} {
		if o.Drops(name) {
			delete(h, name)
		}
	}
	if o.Parent != "" {
		h[Traceparent] = []string{o.Parent}
	}
}
