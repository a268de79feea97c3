package metric

import (
	"context"
	"log/slog"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus/testutil/promlint"
	dto "github.com/prometheus/client_model/go"

	"portico/internal/flow"
	"portico/internal/outbox"
	"portico/internal/password"
	"portico/internal/server"
	"portico/internal/session"
	"portico/internal/store"
	"portico/internal/tally"
)

// sample has something of everything.
func sample() Figures {
	took := tally.New(time.Millisecond, time.Second)
	took.Observe(2 * time.Millisecond)
	group := tally.New(1, 8)
	group.Observe(3)
	return Figures{
		Requests: []server.RequestStats{
			{Route: "/auth/signin", Method: "POST", Answers: [6]uint64{1, 0, 2, 3, 4, 5}, Duration: took.Snapshot()},
			{Route: server.NoRoute, Method: "other", Duration: took.Snapshot()},
		},
		Violations: map[string]uint64{"script-src": 1},
		Flows: flow.Stats{
			Steps:   map[flow.Ended]uint64{{Flow: "signin", Step: "signin", Outcome: "done"}: 7},
			SignIns: map[string]uint64{"password": 6}, SignUps: map[string]uint64{"mail": 5}, Refused: map[string]uint64{"password": 4},
		},
		Sessions: session.CacheStats{Hits: 10, Misses: 11, Size: 12},
		Hashing:  password.Stats{Slots: 2, Running: 1, Waiting: 3, Refused: 4, Abandoned: 5},
		Hashes:   took.Snapshot(),
		Mail:     outbox.Totals{Sent: 20, Failed: 21, Dead: 22, Expired: 23},
		Queue:    &Queue{Waiting: 30, Dead: 31, Oldest: 1500 * time.Millisecond},
		Database: store.Stats{
			Pools:  []store.Pool{{Name: "read", Max: 4, Open: 3, InUse: 1, Waits: 40, Waited: 2 * time.Second}},
			Queued: 41, Commit: took.Snapshot(), Group: group.Snapshot(),
		},
	}
}

func always(f Figures) func(context.Context) Figures {
	return func(context.Context) Figures { return f }
}

// gathered is a family as Prometheus gets it, with the labels of its series.
type gathered struct {
	*dto.MetricFamily
	labels []string
}

// GetHistogram reports whether the series have buckets.
func (g gathered) GetHistogram() bool { return g.GetType() == dto.MetricType_HISTOGRAM }

func gather(t *testing.T, f Figures) []gathered {
	t.Helper()
	all, err := registry(Build{Version: "1", Revision: "r", Go: "go"}, always(f)).Gather()
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

// Names, units and helps are as Prometheus wants them.
func TestFamilies_FollowTheConventions(t *testing.T) {
	t.Parallel()
	var ours []*dto.MetricFamily
	for _, g := range gather(t, sample()) {
		if strings.HasPrefix(g.GetName(), "portico_") {
			ours = append(ours, g.MetricFamily)
		}
	}
	if len(ours) != len(families()) {
		t.Errorf("%d of %d families have a series", len(ours), len(families()))
	}
	problems, err := promlint.NewWithMetricFamilies(ours).Lint()
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
	Handler(Build{Version: "1.2", Revision: "abc", Go: "go1"}, always(f), slog.New(slog.DiscardHandler)).ServeHTTP(w, httptest.NewRequest("GET", "/metrics", nil))
	if w.Code != 200 || !strings.HasPrefix(w.Header().Get("Content-Type"), "text/plain; version=0.0.4") {
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
		`portico_outbox_waiting 30`,
		`portico_outbox_dead 31`,
		`portico_outbox_oldest_age_seconds 1.5`,
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
	} {
		if !slices.Contains(strings.Split(text, "\n"), line) {
			t.Errorf("the line %s is missing", line)
		}
	}
}

// What nobody knows is absent, not zero.
func TestHandler_DatabaseAway(t *testing.T) {
	t.Parallel()
	f := sample()
	f.Queue = nil
	text := scrape(t, f)
	if !strings.Contains(text, "\nportico_database_up 0\n") || strings.Contains(text, "\nportico_outbox_waiting") || !strings.Contains(text, "\nportico_outbox_sent_total 20\n") {
		t.Error("the figures are not those of a database that does not answer")
	}
}
