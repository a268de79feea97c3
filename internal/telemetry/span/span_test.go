package span_test

import (
	"context"
	"net/http/httptest"
	"testing"

	sdk "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"

	"portico/internal/telemetry/span"
)

// Without a trace no span is made, and marking costs nothing.
func TestStart_Off(t *testing.T) {
	ctx := t.Context()
	var none *span.Source
	r := httptest.NewRequest("GET", "/", nil)
	if n := testing.AllocsPerRun(100, func() {
		requested, s := none.Request(r, true)
		_, child := span.Start(requested, span.StoreRead)
		child.Reached("x")
		child.End("")
		s.End("")
	}); n != 0 {
		t.Errorf("a request that is not traced allocates %v times", n)
	}
	begun, s := none.Begin(ctx, span.MailSend)
	s.Set(span.Template("x"))
	s.End("internal")
	if begun != ctx || s.TraceID() != "" {
		t.Error("a source that is none has begun a trace")
	}
}

func recorder(options ...sdk.TracerProviderOption) (*span.Source, *tracetest.SpanRecorder) {
	r := tracetest.NewSpanRecorder()
	return span.NewSource(sdk.NewTracerProvider(append(options, sdk.WithSpanProcessor(r))...)), r
}

const sent = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"

// A trace continues only if the sender of its header is trusted and the header
// is well formed.
func TestRequest_Traceparent(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		header  string
		trusted bool
		goesOn  bool
	}{
		"trusted":       {sent, true, true},
		"not trusted":   {sent, false, false},
		"none":          {"", true, false},
		"zero":          {"00-00000000000000000000000000000000-b7ad6b7169203331-01", true, false},
		"short":         {"00-0af7-b7ad6b7169203331-01", true, false},
		"upper case":    {"00-0AF7651916CD43DD8448EB211C80319C-B7AD6B7169203331-01", true, false},
		"version ff":    {"ff-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01", true, false},
		"trailing text": {sent + "-canary", true, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			source, recorded := recorder()
			r := httptest.NewRequest("GET", "/", nil)
			r.Header.Set("Traceparent", c.header)
			r.Header.Set("Tracestate", "vendor=canary")
			_, s := source.Request(r, c.trusted)
			s.End("")
			got := recorded.Ended()[0]
			if goesOn := got.SpanContext().TraceID().String() == "0af7651916cd43dd8448eb211c80319c"; goesOn != c.goesOn {
				t.Errorf("the trace is %s", got.SpanContext().TraceID())
			}
			if got.Parent().IsValid() != c.goesOn || got.SpanContext().TraceState().Len() != 0 {
				t.Errorf("the parent is %v, the state %s", got.Parent(), got.SpanContext().TraceState())
			}
		})
	}
}

// The proxy decides whether a trace that it began is recorded.
func TestRequest_SampledByTheProxy(t *testing.T) {
	t.Parallel()
	source, recorded := recorder(sdk.WithSampler(sdk.ParentBased(sdk.NeverSample())))
	for _, header := range []string{sent, sent[:len(sent)-1] + "0", ""} {
		r := httptest.NewRequest("GET", "/", nil)
		r.Header.Set("Traceparent", header)
		ctx, s := source.Request(r, true)
		if _, child := span.Start(ctx, span.StoreRead); (child.TraceID() != "") != (s.TraceID() != "") {
			t.Errorf("%q: a child is not recorded as its parent is", header)
		}
		s.End("")
	}
	if n := len(recorded.Ended()); n != 1 {
		t.Errorf("%d requests are recorded, want the one that the proxy wants", n)
	}
}

func TestStart_Below(t *testing.T) {
	t.Parallel()
	source, recorded := recorder()
	ctx, root := source.Begin(context.Background(), span.MailSend)
	_, child := span.Start(ctx, span.ProviderCall, span.Host("id.test"))
	child.End("provider.unavailable")
	root.End("")
	spans := recorded.Ended()
	if len(spans) != 2 || spans[0].Parent().SpanID() != spans[1].SpanContext().SpanID() {
		t.Fatalf("the spans are %v", spans)
	}
	if root.TraceID() != "" && spans[0].Status().Description != "" {
		t.Error("a failure has a text")
	}
}

// Without tracing, the client's header stays. With tracing, our own replaces
// it, and the state of another trace is removed.
func TestOnward(t *testing.T) {
	source, _ := recorder()
	for name, c := range map[string]struct {
		source          *span.Source
		trusted         bool
		parent, nothing bool // whether traceparent is ours, and whether no state is left
	}{
		"off":         {nil, true, false, false},
		"trusted":     {source, true, true, false},
		"not trusted": {source, false, true, true},
	} {
		r := httptest.NewRequest("GET", "/", nil)
		r.Header.Set("Traceparent", sent)
		r.Header.Set("Tracestate", "vendor=x")
		ctx, s := c.source.Request(r, c.trusted)
		span.OnwardOf(ctx, r.Header).Put(r.Header)
		s.End("")
		if got := r.Header.Get("Traceparent"); (got != sent) != c.parent || len(got) != len(sent) {
			t.Errorf("%s: traceparent is %q", name, got)
		}
		if got := r.Header.Get("Tracestate"); (got == "") != c.nothing {
			t.Errorf("%s: tracestate is %q", name, got)
		}
	}
	r := httptest.NewRequest("GET", "/", nil)
	if n := testing.AllocsPerRun(100, func() { span.OnwardOf(r.Context(), r.Header).Put(r.Header) }); n != 0 {
		t.Errorf("a request without a trace allocates %v times", n)
	}
}
