package app

import (
	"net/http"
	"net/url"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	dto "github.com/prometheus/client_model/go"
	"github.com/prometheus/common/expfmt"
	"github.com/prometheus/common/model"

	"portico/internal/config"
)

// The number of series is bounded, whatever clients send, and the documentation has the
// bound. Each series costs every Prometheus that scrapes the node.
func TestMetrics_SeriesAreBounded(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile("../../docs/operating/metrics.md")
	if err != nil {
		t.Fatal(err)
	}
	told := regexp.MustCompile(`has about ([\d,]+)\s+series after its start, and at most\s+([\d,]+)`).FindStringSubmatch(string(page))
	if told == nil {
		t.Fatal("metrics.md says nothing about the number of series")
	}
	r, _ := started(t, nil, func(c *config.Config) {
		c.OpenID.Registration, c.OpenID.ClientDocuments = true, true
		c.App.Upstream, c.App.Rules = &url.URL{Scheme: "http", Host: "127.0.0.1:1"}, []string{"public /*"}
	})
	fresh, routes := r.series(t)
	for _, path := range routes {
		for _, method := range []string{"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE", "BREW"} {
			r.ask(t, method, path)
		}
	}
	all, _ := r.series(t)
	about, most := number(t, told[1]), number(t, told[2])
	if fresh < about*9/10 || fresh > about*11/10 || all > most || all < most*8/10 {
		t.Errorf("there are %d series after the start and %d in the end, and metrics.md says %d and %d: correct it, or find labels that no operator needs", fresh, all, about, most)
	}
}

func number(t *testing.T, text string) int {
	t.Helper()
	n, err := strconv.Atoi(strings.ReplaceAll(text, ",", ""))
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// series returns the number of series of a scrape, as Prometheus counts them, and the
// routes with something in place of their parameters.
func (r *running) series(t *testing.T) (count int, routes []string) {
	t.Helper()
	status, text := r.get(r.ops + "/metrics")
	if status != http.StatusOK {
		t.Fatal(status, text)
	}
	parser := expfmt.NewTextParser(model.UTF8Validation)
	families, err := parser.TextToMetricFamilies(strings.NewReader(text + "\n"))
	if err != nil {
		t.Fatal(err)
	}
	for name, family := range families {
		for _, m := range family.GetMetric() {
			count += seriesOf(m)
			if name == "portico_http_request_duration_seconds" {
				count++ // of the requests that are broken off without an answer
			}
			for _, label := range m.GetLabel() {
				if name == "portico_http_requests_total" && label.GetName() == "route" {
					routes = append(routes, regexp.MustCompile(`\{[^}]*\}`).ReplaceAllString(label.GetValue(), "x"))
				}
			}
		}
	}
	slices.Sort(routes)
	return count, slices.Compact(routes)
}

// seriesOf returns how many series one metric is: a histogram has one for each bucket,
// the sum and the count, and a summary one for each quantile.
func seriesOf(m *dto.Metric) int {
	switch {
	case m.GetHistogram() != nil:
		return len(m.GetHistogram().GetBucket()) + 2
	case m.GetSummary() != nil:
		return len(m.GetSummary().GetQuantile()) + 2
	}
	return 1
}

func (r *running) ask(t *testing.T, method, path string) {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), method, r.public+"/"+strings.TrimPrefix(path, "/"), http.NoBody)
	if err != nil {
		t.Fatal(err)
	}
	response, err := r.client.Transport.RoundTrip(request)
	if err != nil {
		t.Fatal(err)
	}
	_ = response.Body.Close()
}
