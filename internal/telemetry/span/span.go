package span

import (
	"context"
	"net/http"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/propagation"
	"go.opentelemetry.io/otel/trace"
)

// Name names a kind of work.
type Name string

const (
	FlowStep     Name = "flow step"
	StoreRead    Name = "store read"
	StoreWrite   Name = "store write"
	PasswordWork Name = "password work" // a hash or a password check, with the wait for a slot
	ProviderCall Name = "provider call"
	AppCall      Name = "app call" // until the response is passed on
	MailSend     Name = "mail send"
)

// scope names this instrumentation.
const scope = "portico"

// Source begins traces. A nil Source begins none.
type Source struct {
	tracer trace.Tracer
}

// NewSource returns a Source that uses a provider.
func NewSource(p trace.TracerProvider) *Source { return &Source{p.Tracer(scope)} }

// Request begins the span of a request. It continues the trace of the header
// traceparent if the sender is trusted, else it begins a new one. It ignores
// the state of other vendors (tracestate).
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

// Begin begins a trace for work outside a request.
func (s *Source) Begin(ctx context.Context, name Name, attributes ...Attribute) (context.Context, Span) {
	if s == nil {
		return ctx, Span{}
	}
	ctx, span := s.tracer.Start(ctx, string(name), trace.WithNewRoot(), trace.WithSpanKind(kindOf(name)), trace.WithAttributes(attributes...))
	return ctx, Span{span}
}

// Start begins a span below the one in the context. Without a recorded span
// there, it begins none. The caller ends the span.
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

// Span is a piece of work. All methods of the zero Span do nothing.
type Span struct {
	span trace.Span
}

// TraceID returns the id of the trace for the log, "" if it is not recorded.
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

// Reached adds an event at the current time.
func (s Span) Reached(event string) {
	if s.span != nil {
		s.span.AddEvent(event)
	}
}

// End ends the span. failure is the code of an error, "" for success. Never
// pass the text of an error, which may quote input.
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
