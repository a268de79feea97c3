package metric

import (
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"portico/internal/tally"
)

// kind is the type of a family.
type kind string

const (
	counter   kind = "counter"
	gauge     kind = "gauge"
	histogram kind = "histogram"
)

// family is one metric with all its series.
type family struct {
	name   string
	kind   kind
	labels []string
	help   string
	read   func(*Figures, Build, emitter)
}

// emitter writes the series of one family.
type emitter struct {
	desc *prometheus.Desc
	kind kind
	out  chan<- prometheus.Metric
}

// value writes a series of a counter or a gauge.
func (e emitter) value(v float64, labels ...string) {
	as := prometheus.GaugeValue
	if e.kind == counter {
		as = prometheus.CounterValue
	}
	e.out <- prometheus.MustNewConstMetric(e.desc, as, v, labels...)
}

// each writes a series for each word of a map.
func (e emitter) each(counts map[string]uint64) {
	for word, n := range counts {
		e.value(float64(n), word)
	}
}

func (e emitter) durations(s tally.Snapshot[time.Duration], labels ...string) {
	e.distribution(s.Count, s.Sum.Seconds(), buckets(s, time.Duration.Seconds), labels)
}

func (e emitter) sizes(s tally.Snapshot[int], labels ...string) {
	e.distribution(s.Count, float64(s.Sum), buckets(s, func(n int) float64 { return float64(n) }), labels)
}

func (e emitter) distribution(count uint64, sum float64, buckets map[float64]uint64, labels []string) {
	e.out <- prometheus.MustNewConstHistogram(e.desc, count, sum, buckets, labels...)
}

func buckets[V tally.Value](s tally.Snapshot[V], unit func(V) float64) map[float64]uint64 {
	m := make(map[float64]uint64, len(s.Bounds))
	for i, bound := range s.Bounds {
		m[unit(bound)] = s.Counts[i]
	}
	return m
}

// families are all metrics of ours, in the order of the documentation.
func families() []family {
	var all []family
	for _, of := range []func() []family{
		buildFamilies, requestFamilies, flowFamilies, sessionFamilies, hashingFamilies, mailFamilies, databaseFamilies,
	} {
		all = append(all, of()...)
	}
	return all
}

// plain returns a family of one series.
func plain[V int | uint64](name string, k kind, help string, read func(*Figures) V) family {
	return family{name, k, nil, help, func(f *Figures, _ Build, e emitter) { e.value(float64(read(f))) }}
}
