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

// Onward is what a server that is asked for a request learns of its trace.
type Onward struct {
	Parent string // the value of traceparent, "" when nothing is traced: then what was sent stays
	State  bool   // whether the tracestate that was sent is of this trace
}

// OnwardOf returns the trace that the context holds, recorded or not, for a
// request with the header that was sent. The id of a trace that begins here is
// unknown to the client: where the header names it, the trace has gone on from
// there.
func OnwardOf(ctx context.Context, sent http.Header) Onward {
	s := trace.SpanContextFromContext(ctx)
	if !s.IsValid() {
		return Onward{}
	}
	h := propagation.HeaderCarrier{}
	propagation.TraceContext{}.Inject(ctx, h)
	return Onward{Parent: h.Get(Traceparent), State: strings.Contains(sent.Get(Traceparent), s.TraceID().String())}
}

// Drops reports whether a header that was sent is not passed on: Parent takes
// its place, or it belongs to another trace.
func (o Onward) Drops(name string) bool {
	return o.Parent != "" && (name == Traceparent || name == Tracestate && !o.State)
}

// Put makes the header that was sent that of the request.
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
