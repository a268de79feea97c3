package metric

import (
	"slices"

	"github.com/prometheus/client_golang/prometheus"
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
	read   func(*Figures, *emitter)
}

func (f family) desc() *prometheus.Desc {
	return prometheus.NewDesc(f.name, f.help, f.labels, nil)
}

// families are all metrics of Portico, in the order of the documentation.
func families() []family {
	return slices.Concat(
		buildFamilies(), requestFamilies(), flowFamilies(), sessionFamilies(), hashingFamilies(), mailFamilies(),
		databaseFamilies(), appFamilies(), webhookFamilies(), traceFamilies(),
	)
}

// plain returns a family of one series.
func plain[V int | uint64 | float64](name string, k kind, help string, read func(*Figures) V) family {
	return family{name, k, nil, help, func(f *Figures, e *emitter) { e.value(float64(read(f))) }}
}
