package metric

import (
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"portico/internal/telemetry/tally"
)

// emitter sends the series of one family after the other to a scrape.
type emitter struct {
	metrics chan<- prometheus.Metric
	desc    *prometheus.Desc
	kind    kind
}

// value sends a series: one value for each label of the family.
func (e *emitter) value(v float64, labels ...string) {
	valueType := prometheus.GaugeValue
	if e.kind == counter {
		valueType = prometheus.CounterValue
	}
	e.metrics <- prometheus.MustNewConstMetric(e.desc, valueType, v, labels...)
}

// flag sends a series that is 1 for true and 0 for false.
func (e *emitter) flag(is bool, labels ...string) {
	v := 0.0
	if is {
		v = 1
	}
	e.value(v, labels...)
}

// each sends a series for each word of a map.
func (e *emitter) each(counts map[string]uint64) {
	for word, count := range counts {
		e.value(float64(count), word)
	}
}

func (e *emitter) durations(s tally.Snapshot[time.Duration], labels ...string) {
	distribution(e, s, time.Duration.Seconds, labels)
}

func (e *emitter) sizes(s tally.Snapshot[int], labels ...string) {
	distribution(e, s, func(n int) float64 { return float64(n) }, labels)
}

// distribution sends a histogram in the base unit.
func distribution[V tally.Value](e *emitter, s tally.Snapshot[V], unit func(V) float64, labels []string) {
	buckets := make(map[float64]uint64, len(s.Bounds))
	for i, bound := range s.Bounds {
		buckets[unit(bound)] = s.Counts[i]
	}
	e.metrics <- prometheus.MustNewConstHistogram(e.desc, s.Count, unit(s.Sum), buckets, labels...)
}
