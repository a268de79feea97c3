package metric

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"

	"portico/internal/goldentest"
)

func operating(name string) string { return filepath.Join("..", "..", "..", "docs", "operating", name) }

func readDoc(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(operating(name))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// table returns every metric in Markdown.
func table() string {
	var b strings.Builder
	b.WriteString("\n| metric | type | labels | meaning |\n|---|---|---|---|\n")
	for _, f := range families() {
		labels := ""
		if len(f.labels) > 0 {
			labels = "`" + strings.Join(f.labels, "`, `") + "`"
		}
		fmt.Fprintf(&b, "| `%s` | %s | %s | %s |\n", f.name, f.kind, labels, f.help)
	}
	return b.String() + "\n"
}

func TestDocument_IsUpToDate(t *testing.T) {
	t.Parallel()
	const name, begin, end = "metrics.md", "<!-- metrics: made from internal/telemetry/metric by go test ./internal/telemetry/metric -update -->\n", "<!-- end of the metrics -->"
	goldentest.Part(t, operating(name), begin, end, table())
}

var (
	metricName = regexp.MustCompile(`\b(?:portico|go|process|promhttp)_[a-z0-9_]+\b`)
	selector   = regexp.MustCompile(`\b(portico_[a-z0-9_]+)\{([^}]*)\}`)
	labelName  = regexp.MustCompile(`([a-z_]+)\s*(?:=~|!~|!=|=)`)
)

// checkExpressions compares PromQL with the existing metrics and their labels.
// Prometheus adds job and instance.
func checkExpressions(t *testing.T, expressions []string) {
	t.Helper()
	labels := map[string][]string{}
	for _, mf := range gather(t, sample()) {
		names := []string{mf.GetName()}
		if mf.GetHistogram() {
			names = []string{mf.GetName() + "_bucket", mf.GetName() + "_sum", mf.GetName() + "_count"}
		}
		for _, name := range names {
			labels[name] = append(mf.labels, "job", "instance", "le")
		}
	}
	for _, e := range expressions {
		for _, name := range metricName.FindAllString(e, -1) {
			if labels[name] == nil {
				t.Errorf("there is no metric %s, for %s", name, e)
			}
		}
		for _, m := range selector.FindAllStringSubmatch(e, -1) {
			for _, l := range labelName.FindAllStringSubmatch(m[2], -1) {
				if !slices.Contains(labels[m[1]], l[1]) {
					t.Errorf("%s has no label %s, for %s", m[1], l[1], e)
				}
			}
		}
	}
}

func TestDashboard(t *testing.T) {
	t.Parallel()
	var dashboard struct {
		Title  string
		UID    string
		Panels []struct {
			ID      int
			Title   string
			Type    string
			GridPos struct{ H, W, X, Y int }
			Targets []struct{ Expr, RefID string }
		}
		Templating struct {
			List []struct{ Name, Definition string }
		}
	}
	if err := json.Unmarshal([]byte(readDoc(t, "grafana-portico.json")), &dashboard); err != nil {
		t.Fatal(err)
	}
	var expressions []string
	ids := map[int]bool{}
	taken := map[[2]int]string{}
	for _, p := range dashboard.Panels {
		for x := range p.GridPos.W {
			for y := range p.GridPos.H {
				at := [2]int{p.GridPos.X + x, p.GridPos.Y + y}
				if other := taken[at]; other != "" {
					t.Fatalf("the panel %q covers %q", p.Title, other)
				}
				taken[at] = p.Title
			}
		}
		if ids[p.ID] || p.Title == "" || p.GridPos.X+p.GridPos.W > 24 || p.Type != "row" && len(p.Targets) == 0 {
			t.Errorf("the panel %+v has no place, no title, no query or the number of another", p)
		}
		ids[p.ID] = true
		for _, target := range p.Targets {
			expressions = append(expressions, target.Expr)
		}
	}
	for _, v := range dashboard.Templating.List {
		expressions = append(expressions, v.Definition)
	}
	if len(expressions) < 20 || dashboard.UID == "" {
		t.Errorf("the dashboard %s has %d queries", dashboard.UID, len(expressions))
	}
	checkExpressions(t, expressions)
	shown := strings.Join(expressions, " ")
	for _, f := range families() {
		if !strings.Contains(shown, f.name) && !slices.Contains(notShown(), f.name) {
			t.Errorf("the dashboard does not show %s", f.name)
		}
	}
}

// notShown are the metrics without a panel in the dashboard.
func notShown() []string {
	return []string{"portico_database_connection_waits_total", "portico_trace_spans_sent_total", "portico_trace_spans_lost_total",
		"portico_node_settings_different"}
}

func TestAlerts(t *testing.T) {
	t.Parallel()
	var file struct {
		Groups []struct {
			Name  string
			Rules []struct {
				Alert, Expr, For    string
				Labels, Annotations map[string]string
			}
		}
	}
	decoder := yaml.NewDecoder(strings.NewReader(readDoc(t, "alerts.yml")))
	decoder.KnownFields(true)
	if err := decoder.Decode(&file); err != nil {
		t.Fatal(err)
	}
	var expressions []string
	for _, g := range file.Groups {
		for _, r := range g.Rules {
			expressions = append(expressions, r.Expr)
			if !strings.HasPrefix(r.Alert, "Portico") || r.Annotations["summary"] == "" || r.Annotations["description"] == "" || r.Annotations["action"] == "" ||
				!slices.Contains([]string{"page", "ticket"}, r.Labels["severity"]) || len(slices.Collect(maps.Keys(r.Labels))) != 1 {
				t.Errorf("the rule %+v does not say enough", r)
			}
			if strings.Count(r.Expr, "(") != strings.Count(r.Expr, ")") || strings.Count(r.Expr, "{") != strings.Count(r.Expr, "}") {
				t.Errorf("the brackets of %s are not balanced", r.Alert)
			}
		}
	}
	if len(expressions) < 10 {
		t.Errorf("there are %d rules", len(expressions))
	}
	checkExpressions(t, expressions)
}
