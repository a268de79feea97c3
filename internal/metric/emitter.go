package metric

import (
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"portico/internal/tally"
)

// emitter writes the series of one family after the other, in the text format
// of Prometheus.
type emitter struct {
	buffer []byte
	name   string
	labels []string
}

var (
	escapeHelp  = strings.NewReplacer(`\`, `\\`, "\n", `\n`)
	escapeLabel = strings.NewReplacer(`\`, `\\`, "\n", `\n`, `"`, `\"`)
)

// begin writes the head of a family.
func (e *emitter) begin(f family) {
	e.name, e.labels = f.name, f.labels
	e.write("# HELP ", f.name, " ", escapeHelp.Replace(f.help), "\n# TYPE ", f.name, " ", string(f.kind), "\n")
}

// value writes a series: one value for each label of the family.
func (e *emitter) value(v float64, labels ...string) { e.sample("", "", v, labels) }

// each writes a series for each word of a map.
func (e *emitter) each(counts map[string]uint64) {
	for _, word := range slices.Sorted(maps.Keys(counts)) {
		e.value(float64(counts[word]), word)
	}
}

func (e *emitter) durations(s tally.Snapshot[time.Duration], labels ...string) {
	distribution(e, s, time.Duration.Seconds, labels)
}

func (e *emitter) sizes(s tally.Snapshot[int], labels ...string) {
	distribution(e, s, func(n int) float64 { return float64(n) }, labels)
}

// distribution writes a histogram in the base unit.
func distribution[V tally.Value](e *emitter, s tally.Snapshot[V], unit func(V) float64, labels []string) {
	for i, bound := range s.Bounds {
		e.sample("_bucket", number(unit(bound)), float64(s.Counts[i]), labels)
	}
	e.sample("_bucket", "+Inf", float64(s.Count), labels)
	e.sample("_sum", "", unit(s.Sum), labels)
	e.sample("_count", "", float64(s.Count), labels)
}

// sample writes one line. Le is the bound of a bucket, "" for what is none.
func (e *emitter) sample(suffix, le string, v float64, labels []string) {
	e.write(e.name, suffix)
	separator := "{"
	pair := func(name, value string) {
		e.write(separator, name, `="`, escapeLabel.Replace(value), `"`)
		separator = ","
	}
	for i, name := range e.labels {
		pair(name, labels[i])
	}
	if le != "" {
		pair("le", le)
	}
	if separator == "," {
		e.write("}")
	}
	e.write(" ", number(v), "\n")
}

func (e *emitter) write(parts ...string) {
	for _, p := range parts {
		e.buffer = append(e.buffer, p...)
	}
}

func number(v float64) string { return strconv.FormatFloat(v, 'g', -1, 64) }
