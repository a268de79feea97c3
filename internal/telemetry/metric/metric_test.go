package metric

import (
	"context"
	"net/http/httptest"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus/testutil/promlint"
	dto "github.com/prometheus/client_model/go"
	"github.com/prometheus/common/expfmt"
	"github.com/prometheus/common/model"

	"portico/internal/flow"
	"portico/internal/legacy"
	"portico/internal/outbox"
	"portico/internal/password"
	"portico/internal/server"
	"portico/internal/session"
	"portico/internal/store"
	"portico/internal/telemetry/tally"
)

// sample has a value in every field.
func sample() Figures {
	took := tally.New(time.Millisecond, time.Second)
	took.Observe(2 * time.Millisecond)
	group := tally.New(1, 8)
	group.Observe(3)
	return Figures{
		Build: Build{Version: "1.2", Revision: "abc", Go: "go1"},
		Requests: []server.RequestStats{
			{Route: "/auth/signin", Method: "POST", Answers: [6]uint64{1, 0, 2, 3, 4, 5}, Duration: took.Snapshot()},
			{Route: server.NoRoute, Method: "other", Duration: took.Snapshot()},
		},
		Violations: map[string]uint64{"script-src": 1},
		Flows: flow.Stats{
			Steps:   map[flow.Ended]uint64{{Flow: "signin", Step: "signin", Outcome: "done"}: 7},
			SignIns: map[string]uint64{"password": 6}, SignUps: map[string]uint64{"mail": 5}, Wrong: map[string]uint64{"code": 3}, Refused: map[string]uint64{"password": 4},
		},
		Sessions: session.CacheStats{Hits: 10, Misses: 11, Size: 12},
		Legacy:   legacy.Stats{Right: 71, Wrong: 72, Failed: 73, Refused: 74},
		Hashing:  password.Stats{Slots: 2, Running: 1, Waiting: 3, Refused: 4, Abandoned: 5},
		Hashes:   took.Snapshot(),
		Mail:     outbox.Totals{Sent: 20, Failed: 21, Dead: 22, Expired: 23},
		Queues:   []Queue{{Lane: "awaited", Waiting: 30, Dead: 31, Oldest: 1500 * time.Millisecond}, {Lane: "logouts", Waiting: 32}},
		Database: store.Stats{
			Pools:  []store.Pool{{Name: "read", Max: 4, Open: 3, InUse: 1, Waits: 40, Waited: 2 * time.Second}},
			Queued: 41, Commit: took.Snapshot(), Group: group.Snapshot(),
		},
		Traces: Traces{Sent: 50, Lost: 51}, Differing: 60,
		Apps:         []App{{Name: "shop", Up: true, Unanswered: 52}, {Name: "wiki", Unanswered: 53}},
		Webhooks:     []Webhook{{Name: "shop", Delivered: 61, Failed: 62, Dropped: 63, Waiting: 64, Oldest: 65 * time.Second}},
		Certificates: []Certificate{{Name: "login.test", Expires: time.Unix(54, 0)}, {Name: "wiki.test", Failing: true}},
	}
}

// gathered is a family as Prometheus receives it, with the labels of its
// series.
type gathered struct {
	*dto.MetricFamily
	labels []string
}

// GetHistogram reports whether the series have buckets.
func (g gathered) GetHistogram() bool { return g.GetType() == dto.MetricType_HISTOGRAM }

func gather(t *testing.T, f Figures) []gathered {
	t.Helper()
	parser := expfmt.NewTextParser(model.LegacyValidation)
	all, err := parser.TextToMetricFamilies(strings.NewReader(scrape(t, f)))
	if err != nil {
		t.Fatal(err)
	}
	var list []gathered
	for _, mf := range all {
		g := gathered{MetricFamily: mf}
		for _, pair := range mf.GetMetric()[0].GetLabel() {
			g.labels = append(g.labels, pair.GetName())
		}
		list = append(list, g)
	}
	return list
}

// Names, units and help texts follow the conventions of Prometheus.
func TestFamilies_FollowTheConventions(t *testing.T) {
	t.Parallel()
	var all []*dto.MetricFamily
	for _, g := range gather(t, sample()) {
		if strings.HasPrefix(g.GetName(), "portico_") {
			all = append(all, g.MetricFamily)
		}
	}
	if len(all) != len(families()) {
		t.Errorf("%d of %d families have a series", len(all), len(families()))
	}
	problems, err := promlint.NewWithMetricFamilies(all).Lint()
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range problems {
		t.Errorf("%s: %s", p.Metric, p.Text)
	}
	for _, f := range families() {
		if !strings.HasPrefix(f.name, "portico_") || !strings.HasSuffix(f.help, ".") && !strings.HasSuffix(f.help, ".)") || strings.ContainsAny(f.help, "|\n") {
			t.Errorf("%s is explained by %q: write sentences", f.name, f.help)
		}
	}
}

func scrape(t *testing.T, f Figures) string {
	t.Helper()
	w := httptest.NewRecorder()
	Handler(func(ctx context.Context) Figures {
		if _, bounded := ctx.Deadline(); !bounded {
			t.Error("a scrape may take forever")
		}
		return f
	}).ServeHTTP(w, httptest.NewRequest("GET", "/metrics", nil))
	if w.Code != 200 || !strings.HasPrefix(w.Header().Get("Content-Type"), "text/plain; version=0.0.4; charset=utf-8") {
		t.Errorf("the answer is %d %s", w.Code, w.Header())
	}
	return w.Body.String()
}

// Each figure arrives under its name, in base units.
func TestHandler(t *testing.T) {
	t.Parallel()
	text := scrape(t, sample())
	for _, line := range []string{
		`portico_build_info{go="go1",revision="abc",version="1.2"} 1`,
		`portico_http_requests_total{method="POST",route="/auth/signin",status="none"} 1`,
		`portico_http_requests_total{method="POST",route="/auth/signin",status="5xx"} 5`,
		`portico_http_requests_total{method="other",route="none",status="2xx"} 0`,
		`portico_http_request_duration_seconds_bucket{method="POST",route="/auth/signin",le="0.001"} 0`,
		`portico_http_request_duration_seconds_bucket{method="POST",route="/auth/signin",le="1"} 1`,
		`portico_http_request_duration_seconds_sum{method="POST",route="/auth/signin"} 0.002`,
		`portico_csp_violations_total{directive="script-src"} 1`,
		`portico_flow_steps_total{flow="signin",outcome="done",step="signin"} 7`,
		`portico_signins_total{method="password"} 6`,
		`portico_signups_total{method="mail"} 5`,
		`portico_throttle_refusals_total{limit="password"} 4`,
		`portico_session_cache_hits_total 10`,
		`portico_session_cache_misses_total 11`,
		`portico_session_cache_sessions 12`,
		`portico_hashing_slots 2`,
		`portico_hashing_slots_in_use 1`,
		`portico_hashing_waiting 3`,
		`portico_hashing_shed_total 4`,
		`portico_hashing_abandoned_total 5`,
		`portico_hashing_duration_seconds_count 1`,
		`portico_outbox_waiting{lane="awaited"} 30`,
		`portico_outbox_waiting{lane="logouts"} 32`,
		`portico_outbox_dead{lane="awaited"} 31`,
		`portico_outbox_oldest_age_seconds{lane="awaited"} 1.5`,
		`portico_outbox_sent_total 20`,
		`portico_outbox_retried_total 21`,
		`portico_outbox_given_up_total 22`,
		`portico_outbox_expired_total 23`,
		`portico_database_up 1`,
		`portico_database_connections{pool="read",state="idle"} 2`,
		`portico_database_connections{pool="read",state="in_use"} 1`,
		`portico_database_connections_max{pool="read"} 4`,
		`portico_database_connection_waits_total{pool="read"} 40`,
		`portico_database_connection_wait_seconds_total{pool="read"} 2`,
		`portico_database_writes_queued 41`,
		`portico_database_commit_duration_seconds_sum 0.002`,
		`portico_database_commit_writes_bucket{le="8"} 1`,
		`portico_database_commit_writes_sum 3`,
		`portico_trace_spans_sent_total 50`,
		`portico_trace_spans_lost_total 51`,
	} {
		if !slices.Contains(strings.Split(text, "\n"), line) {
			t.Errorf("the line %s is missing", line)
		}
	}
}

// An unknown value is absent, not zero.
func TestHandler_DatabaseAway(t *testing.T) {
	t.Parallel()
	f := sample()
	f.Queues = nil
	text := scrape(t, f)
	if !strings.Contains(text, "\nportico_database_up 0\n") || strings.Contains(text, "\nportico_outbox_waiting") || !strings.Contains(text, "\nportico_outbox_sent_total 20\n") {
		t.Error("the figures are not those of a database that does not answer")
	}
}

// Every word stays within its label.
func TestHandler_EscapesLabels(t *testing.T) {
	t.Parallel()
	f := sample()
	word := "a\"} 1\n\\b"
	f.Violations = map[string]uint64{word: 9}
	for _, g := range gather(t, f) {
		if g.GetName() == "portico_csp_violations_total" {
			if m := g.GetMetric(); len(m) != 1 || m[0].GetLabel()[0].GetValue() != word || m[0].GetCounter().GetValue() != 9 {
				t.Errorf("the series are %v", m)
			}
		}
	}
}

// A scraper that repeats an unanswered request does not cause more work.
func TestHandler_ManyAtOnce(t *testing.T) {
	t.Parallel()
	begun, letGo := make(chan struct{}), make(chan struct{})
	h := Handler(func(context.Context) Figures {
		begun <- struct{}{}
		<-letGo
		return Figures{}
	})
	ask := func() int {
		w := httptest.NewRecorder()
		h.ServeHTTP(w, httptest.NewRequest("GET", "/metrics", nil))
		return w.Code
	}
	answered := make(chan int, parallel)
	for range parallel {
		go func() { answered <- ask() }()
		<-begun
	}
	if got := ask(); got != 503 {
		t.Errorf("one request too many got status %d", got)
	}
	close(letGo)
	for range parallel {
		if got := <-answered; got != 200 {
			t.Errorf("a waiting request got status %d", got)
		}
	}
}

// The client library adds the metrics of common dashboards.
func TestHandler_RuntimeAndProcess(t *testing.T) {
	t.Parallel()
	text := scrape(t, sample())
	for _, name := range []string{"go_goroutines", "go_memstats_alloc_bytes"} {
		if !strings.Contains(text, "\n"+name+" ") {
			t.Errorf("there is no %s", name)
		}
	}
	for _, name := range []string{"process_resident_memory_bytes", "process_cpu_seconds_total", "process_start_time_seconds", "process_open_fds"} {
		if runtime.GOOS == "linux" && !strings.Contains(text, "\n"+name+" ") {
			t.Errorf("there is no %s", name)
		}
	}
}
