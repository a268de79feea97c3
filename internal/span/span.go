package span

import (
	"context"
	"net/http"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/propagation"
	"go.opentelemetry.io/otel/trace"
)

// Name says what a piece of work is.
type Name string

const (
	FlowStep     Name = "flow step"
	StoreRead    Name = "store read"
	StoreWrite   Name = "store write"
	PasswordWork Name = "password work" // a hash or a judgement, with the wait for a slot
	ProviderCall Name = "provider call"
	AppCall      Name = "app call" // until its answer is passed on
	MailSend     Name = "mail send"
)

// scope names this instrumentation.
const scope = "portico"

// Source begins traces. A nil Source begins none.
type Source struct {
	tracer trace.Tracer
}

// NewSource returns a Source of a provider's traces.
func NewSource(p trace.TracerProvider) *Source { return &Source{p.Tracer(scope)} }

// Request begins the span of a request. Its trace is that of the header
// traceparent when the caller trusts who sent it, else a new one. The state of
// other vendors (tracestate) is not taken on.
func (s *Source) Request(r *http.Request, trusted bool) (context.Context, Span) {
	ctx := r.Context()
	if s == nil {
		return ctx, Span{}
	}
	if trusted {
		sent := trace.SpanContextFromContext(propagation.TraceContext{}.Extract(ctx, propagation.HeaderCarrier(r.Header)))
		ctx = trace.ContextWithRemoteSpanContext(ctx, sent.WithTraceState(trace.TraceState{}))
	}
	ctx, span := s.tracer.Start(ctx, "request", trace.WithSpanKind(trace.SpanKindServer))
	return ctx, Span{span}
}

// Begin begins a trace with work that no request waits for.
func (s *Source) Begin(ctx context.Context, name Name, attributes ...Attribute) (context.Context, Span) {
	if s == nil {
		return ctx, Span{}
	}
	ctx, span := s.tracer.Start(ctx, string(name), trace.WithNewRoot(), trace.WithSpanKind(kindOf(name)), trace.WithAttributes(attributes...))
	return ctx, Span{span}
}

// Start begins a span below the one that the context holds. Without one, or
// when that is not recorded, there is none. Who starts a span ends it.
func Start(ctx context.Context, name Name, attributes ...Attribute) (context.Context, Span) {
	parent := trace.SpanFromContext(ctx)
	if !parent.IsRecording() {
		return ctx, Span{}
	}
	ctx, span := parent.TracerProvider().Tracer(scope).Start(ctx, string(name),
		trace.WithSpanKind(kindOf(name)), trace.WithAttributes(attributes...))
	return ctx, Span{span}
}

func kindOf(name Name) trace.SpanKind {
	switch name {
	case ProviderCall, AppCall, MailSend:
		return trace.SpanKindClient
	}
	return trace.SpanKindInternal
}

// Span is a piece of work. The zero Span is none, and takes every call.
type Span struct {
	span trace.Span
}

// TraceID returns the id of the trace for the log, "" without one that is
// recorded.
func (s Span) TraceID() string {
	if s.span == nil || !s.span.IsRecording() {
		return ""
	}
	return s.span.SpanContext().TraceID().String()
}

// Rename gives the span of a request the name of its route.
func (s Span) Rename(name string) {
	if s.span != nil {
		s.span.SetName(name)
	}
}

// Set adds attributes.
func (s Span) Set(attributes ...Attribute) {
	if s.span != nil {
		s.span.SetAttributes(attributes...)
	}
}

// Reached marks a time within the span.
func (s Span) Reached(event string) {
	if s.span != nil {
		s.span.AddEvent(event)
	}
}

// End ends the span. Failure is the code of what went wrong, "" when nothing
// did; never the text of an error, which may quote what somebody sent.
func (s Span) End(failure string) {
	if s.span == nil {
		return
	}
	if failure != "" {
		s.span.SetStatus(codes.Error, "")
		s.span.SetAttributes(attribute.String("error.type", failure))
	}
	s.span.End()
}
