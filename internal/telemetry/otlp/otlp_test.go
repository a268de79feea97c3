package otlp_test

import (
	"bytes"
	"context"
	"log/slog"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"

	"portico/internal/telemetry/otlp"
	"portico/internal/telemetry/otlp/otlptest"
	"portico/internal/telemetry/span"
	"portico/internal/testform"
)

// All goroutines of a Traces have ended when it is closed.
func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// room is a Traces with its collector.
type room struct {
	*testing.T
	collector *otlptest.Collector
	traces    *otlp.Traces
	log       *bytes.Buffer
}

func setup(t *testing.T, change func(*otlp.Config)) *room {
	t.Helper()
	r := &room{T: t, collector: otlptest.New(t), log: &bytes.Buffer{}}
	client := &http.Client{Transport: &http.Transport{}}
	t.Cleanup(client.CloseIdleConnections)
	cfg := otlp.Config{
		Endpoint: r.collector.URL, Ratio: 1, Version: "1.2", Instance: "i", Client: client,
		Log: slog.New(slog.NewTextHandler(r.log, nil)),
	}
	if change != nil {
		change(&cfg)
	}
	traces, err := otlp.New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	r.traces = traces
	return r
}

// close sends the waiting spans.
func (r *room) close() {
	r.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), testform.Patience)
	defer cancel()
	if err := r.traces.Close(ctx); err != nil {
		r.Error(err)
	}
}

func (r *room) totals(sent, lost uint64) {
	r.Helper()
	if s, l := r.traces.Totals(); s != sent || l != lost {
		r.Errorf("%d sent and %d lost, want %d and %d", s, l, sent, lost)
	}
}

func TestTraces(t *testing.T) {
	t.Parallel()
	r := setup(t, func(c *otlp.Config) { c.Header = "X-Key: canary" })
	begun := time.Now()
	ctx, root := r.traces.Source().Begin(t.Context(), span.MailSend, span.Template("recover"))
	_, child := span.Start(ctx, span.PasswordWork, span.Status(201))
	child.Reached("slot")
	child.End("hashing.busy")
	id := root.TraceID()
	root.End("")
	r.close()
	spans := r.collector.Spans()
	if len(spans) != 2 {
		t.Fatalf("%d spans came", len(spans))
	}
	who := map[string]any{"service.name": "portico", "service.version": "1.2", "service.instance.id": "i"}
	want := []otlptest.Span{
		{
			Name: "password work", Trace: id, ID: spans[0].ID, Parent: spans[1].ID, Kind: "SPAN_KIND_INTERNAL", Failed: true, Flags: 0x101,
			Attributes: map[string]any{"http.response.status_code": int64(201), "error.type": "hashing.busy"}, Events: []string{"slot"}, Resource: who,
		},
		{
			Name: "mail send", Trace: id, ID: spans[1].ID, Kind: "SPAN_KIND_CLIENT", Flags: 0x101,
			Attributes: map[string]any{"portico.mail.template": "recover"}, Resource: who,
		},
	}
	for i, s := range spans {
		if s.Started.Before(begun) || s.Ended.Before(s.Started) || s.Ended.After(time.Now()) {
			t.Errorf("%s was from %v to %v", s.Name, s.Started, s.Ended)
		}
		want[i].Started, want[i].Ended = s.Started, s.Ended
	}
	if diff := cmp.Diff(want, spans); diff != "" {
		t.Errorf("the spans (-want +got):\n%s", diff)
	}
	request := r.collector.Requests()[0]
	if request.URL.Path != "/v1/traces" || request.Header.Get("Content-Type") != "application/x-protobuf" || request.Header.Get("X-Key") != "canary" {
		t.Errorf("the request is %s %v", request.URL, request.Header)
	}
	r.totals(2, 0)
}

// Only the resource attributes count among the SDK's environment variables.
func TestTraces_IgnoreTheEnvironment(t *testing.T) {
	t.Setenv("OTEL_RESOURCE_ATTRIBUTES", "deployment=west,service.name=canary")
	t.Setenv("OTEL_SERVICE_NAME", "canary")
	t.Setenv("OTEL_TRACES_SAMPLER", "always_off")
	t.Setenv("OTEL_BSP_MAX_QUEUE_SIZE", "1")
	t.Setenv("OTEL_EXPORTER_OTLP_HEADERS", "X-Canary=canary")
	t.Setenv("OTEL_EXPORTER_OTLP_ENDPOINT", "http://canary.invalid")
	t.Setenv("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", "http://canary.invalid")
	t.Setenv("OTEL_EXPORTER_OTLP_COMPRESSION", "gzip")
	t.Setenv("OTEL_EXPORTER_OTLP_TIMEOUT", "1")
	t.Setenv("OTEL_SPAN_ATTRIBUTE_COUNT_LIMIT", "0")
	r := setup(t, nil)
	for range 100 {
		_, s := r.traces.Source().Begin(t.Context(), span.MailSend, span.Template("recover"))
		s.End("")
	}
	r.close()
	if n := len(r.collector.Spans()); n != 100 || r.collector.Spans()[0].Attributes["portico.mail.template"] != "recover" {
		t.Errorf("%d of 100 spans came", n)
	}
	if got := r.collector.Spans()[0].Resource; got["deployment"] != "west" || got["service.name"] != "portico" {
		t.Errorf("the resource is %v", got)
	}
	if header := r.collector.Requests()[0].Header; header.Get("X-Canary") != "" || header.Get("Content-Encoding") != "" {
		t.Errorf("the environment is in the request: %v", header)
	}
}

func TestTraces_Ratio(t *testing.T) {
	t.Parallel()
	r := setup(t, func(c *otlp.Config) { c.Ratio = 0 })
	_, s := r.traces.Source().Begin(t.Context(), span.MailSend)
	if s.TraceID() != "" {
		t.Error("a trace is recorded, and none shall be")
	}
	s.End("")
	r.close()
	if n := len(r.collector.Requests()); n != 0 {
		t.Errorf("%d requests were sent", n)
	}
}

// After the time that a busy collector names, the exporter tries again. It does
// not retry after a refusal. In both cases it logs one line.
func TestTraces_Failures(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		answers    []int
		wait       string // the Retry-After of the collector, in seconds
		requests   int
		sent, lost uint64
		logged     string
	}{
		"busy once":     {[]int{503, 200}, "1", 2, 2, 0, ""},
		"busy for long": {[]int{503}, "60", 1, 0, 2, "max retry time would elapse"},
		"refused":       {[]int{401}, "1", 1, 0, 2, "401 Unauthorized"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := setup(t, nil)
			next := 0
			r.collector.Answer = func(w http.ResponseWriter, _ *http.Request) {
				w.Header().Set("Retry-After", c.wait)
				w.WriteHeader(c.answers[next])
				next++
			}
			for range 2 {
				_, s := r.traces.Source().Begin(t.Context(), span.MailSend)
				s.End("")
			}
			r.close()
			r.totals(c.sent, c.lost)
			if n := len(r.collector.Requests()); n != c.requests {
				t.Errorf("%d requests, want %d", n, c.requests)
			}
			if got := r.log.String(); strings.Count(got, "\n") > 1 || !strings.Contains(got, c.logged) {
				t.Errorf("the log is %q, want %q", got, c.logged)
			}
		})
	}
}

func TestNew_Header(t *testing.T) {
	t.Parallel()
	if _, err := otlp.New(otlp.Config{Endpoint: otlptest.New(t).URL, Header: "canary"}); err == nil || strings.Contains(err.Error(), "canary") {
		t.Errorf("a header without a name: %v", err)
	}
}
