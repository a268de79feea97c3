package app

import (
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"net/http"
	"net/netip"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"portico/internal/config"
	"portico/internal/fault"
	"portico/internal/flow"
	"portico/internal/logtest"
	"portico/internal/telemetry/otlp/otlptest"
)

// lines are the lines of a log.
type lines struct{ logtest.Buffer }

// requests returns the log lines of requests.
func (l *lines) requests(t *testing.T) []map[string]any {
	t.Helper()
	var list []map[string]any
	for line := range strings.Lines(l.String()) {
		var fields map[string]any
		if err := json.Unmarshal([]byte(line), &fields); err != nil {
			t.Fatal(err)
		}
		if fields["msg"] == "request" || fields["msg"] == "panic" {
			list = append(list, fields)
		}
	}
	return list
}

func (l *lines) logger() *slog.Logger {
	return slog.New(slog.NewJSONHandler(l, &slog.HandlerOptions{Level: slog.LevelDebug}))
}

// tree returns the path of names to each span, sorted.
func tree(spans []otlptest.Span) []string {
	byID := map[string]otlptest.Span{}
	for _, s := range spans {
		byID[s.ID] = s
	}
	var paths []string
	for _, s := range spans {
		path := s.Name
		for parent, ok := byID[s.Parent]; ok; parent, ok = byID[parent.Parent] {
			path = parent.Name + " > " + path
		}
		paths = append(paths, path)
	}
	slices.Sort(paths)
	return slices.Compact(paths)
}

func TestTraces_ShowAJourney(t *testing.T) {
	t.Parallel()
	collector, log := otlptest.New(t), &lines{}
	r, mails := started(t, log.logger(), func(c *config.Config) { c.Tracing.Endpoint = collector.URL })
	b := r.person(t)
	b.signUp(mails, "ada@example.org")
	b.must(200, "GET", "session", "")
	r.person(t).must(401, "GET", "session", "") // which is not a failure of the store
	b.must(401, "POST", "signin", `{"email":"ada@example.org","password":"seven hills under a paper lantern"}`)
	r.get(r.public + "/auth/canary-path?token=canary-query")
	r.quit()

	want := []string{
		"GET /auth/api/session", "GET /auth/api/session > store read", "GET none",
		"POST /auth/api/signin", "POST /auth/api/signin > flow step",
		"POST /auth/api/signin > flow step > password work", "POST /auth/api/signin > flow step > store read", "POST /auth/api/signin > flow step > store write",
		"POST /auth/api/signup", "POST /auth/api/signup > flow step",
		"POST /auth/api/signup > flow step > password work", "POST /auth/api/signup > flow step > store write",
		"POST /auth/api/verify-code", "POST /auth/api/verify-code > flow step",
		"POST /auth/api/verify-code > flow step > store read", "POST /auth/api/verify-code > flow step > store write",
		"mail send",
	}
	spans := collector.Spans()
	if got := tree(spans); !slices.Equal(got, want) {
		t.Errorf("the trace is\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	for _, canary := range []string{"ada@", "example.org", good, "paper lantern", "canary", "127.0.0.1"} {
		if strings.Contains(collector.Raw(), canary) {
			t.Errorf("the trace holds %q", canary)
		}
	}
	outcomes := map[any]int{}
	failed := 0
	for _, s := range spans {
		if o := s.Attributes["portico.outcome"]; o != nil {
			outcomes[o]++
		}
		if s.Failed {
			failed++
		}
	}
	if !maps.Equal(outcomes, map[any]int{"done": 2, "unauthenticated": 1}) || failed != 0 {
		t.Errorf("outcomes %v, %d failures", outcomes, failed)
	}

	// Each line of a request has the ids of the request and of the trace.
	traces := map[any]bool{}
	for _, s := range spans {
		if id, ok := s.Attributes["portico.request_id"]; ok {
			traces[id.(string)+" "+s.Trace] = true
		}
	}
	if got := log.requests(t); len(got) != 6 || len(traces) != 6 {
		t.Errorf("%d lines, %d requests traced, want 6", len(got), len(traces))
	}
	doc, err := os.ReadFile(filepath.Join("..", "..", "docs", "operating", "observability.md"))
	if err != nil {
		t.Fatal(err)
	}
	for _, fields := range log.requests(t) {
		for key := range fields {
			if !strings.Contains(string(doc), "`"+key+"`") && !slices.Contains([]string{"time", "level"}, key) {
				t.Errorf("observability.md does not explain the key %s of the log", key)
			}
		}
		id, _ := fields["request_id"].(string)
		trace, _ := fields["trace_id"].(string)
		if !traces[id+" "+trace] {
			t.Errorf("the line %v is of no trace", fields)
		}
	}
}

// A trace continues only if a trusted proxy began it.
func TestTraces_Proxy(t *testing.T) {
	t.Parallel()
	const theirs = "0af7651916cd43dd8448eb211c80319c"
	for name, trusted := range map[string][]netip.Prefix{"trusted": {netip.MustParsePrefix("127.0.0.0/8")}, "not trusted": nil} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			collector := otlptest.New(t)
			r, _ := started(t, nil, func(c *config.Config) { c.Tracing.Endpoint, c.TrustedProxies = collector.URL, trusted })
			request, err := http.NewRequestWithContext(t.Context(), "GET", r.public+"/auth/signin", nil)
			if err != nil {
				t.Fatal(err)
			}
			request.Header.Set("Traceparent", "00-"+theirs+"-b7ad6b7169203331-01")
			answer, err := r.client.Do(request)
			if err != nil {
				t.Fatal(err)
			}
			_ = answer.Body.Close()
			r.quit()
			spans := collector.Spans()
			if len(spans) == 0 {
				t.Fatal("nothing was traced")
			}
			if got := spans[0].Trace == theirs; got != (trusted != nil) {
				t.Errorf("the trace is %s", spans[0].Trace)
			}
		})
	}
}

// Without a collector there are no traces, and the log does not mention them.
func TestTraces_Off(t *testing.T) {
	t.Parallel()
	log := &lines{}
	r, mails := started(t, log.logger(), nil)
	r.person(t).signUp(mails, "ada@example.org")
	r.quit()
	if r.traces != nil || r.spans != nil {
		t.Error("there are traces without a collector")
	}
	for _, fields := range log.requests(t) {
		if _, ok := fields["trace_id"]; ok || fields["request_id"] == "" {
			t.Errorf("the line is %v", fields)
		}
	}
}

// A mistake of the visitor is not a failure of the database.
func TestFailure(t *testing.T) {
	t.Parallel()
	for code, err := range map[string]error{
		"":                    fmt.Errorf("a step: %w", flow.Rejected),
		fault.CodeInternal:    errors.New("the disk is full"),
		fault.CodeUnavailable: fault.New(fault.Unavailable, fault.CodeUnavailable).WithCause(errors.New("busy")),
	} {
		if got := failure(err); got != code {
			t.Errorf("%v is the failure %q, want %q", err, got, code)
		}
	}
	if got := failure(nil); got != "" {
		t.Errorf("nothing is the failure %q", got)
	}
}
