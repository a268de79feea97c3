package main

import (
	"fmt"
	"slices"
	"time"
)

// spread is the result of several rounds.
type spread struct{ median, low, high float64 }

func spreadOf(values []float64) spread {
	sorted := slices.Sorted(slices.Values(values))
	if len(sorted) == 0 {
		return spread{}
	}
	middle := len(sorted) / 2
	median := sorted[middle]
	if len(sorted)%2 == 0 {
		median = (sorted[middle-1] + median) / 2
	}
	return spread{median, sorted[0], sorted[len(sorted)-1]}
}

// ratios divides the readings of one side by the readings of the other, round
// by round.
func ratios(a, b []reading, of func(reading) float64) spread {
	var list []float64
	for i := range a {
		list = append(list, of(a[i])/of(b[i]))
	}
	return spreadOf(list)
}

// values is the spread of one side's readings.
func values(a []reading, of func(reading) float64) spread {
	var list []float64
	for _, r := range a {
		list = append(list, of(r))
	}
	return spreadOf(list)
}

func rateOf(r reading) float64 { return r.rate }
func cpuOf(r reading) float64  { return float64(r.cpu) / float64(time.Microsecond) }
func waitOf(r reading) float64 { return float64(r.wait) / float64(time.Millisecond) }

// figure is one line of the table. A time or a rate has no aim, because
// machines differ. Its ratio to a limit or a peer in the same run has one.
type figure struct {
	name    string
	product string // the absolute value, for orientation
	limit   string
	value   spread
	unit    string // "" for a ratio
	aim     float64
	atLeast bool // whether the aim is a minimum; otherwise it is a maximum
}

func (f figure) met() bool {
	if f.atLeast {
		return f.value.median >= f.aim
	}
	return f.value.median <= f.aim
}

func (f figure) number(v float64) string {
	switch {
	case f.unit == "":
		return fmt.Sprintf("%.2f", v)
	case v < 100:
		return fmt.Sprintf("%.1f %s", v, f.unit)
	}
	return fmt.Sprintf("%.0f %s", v, f.unit)
}

func (f figure) aimText() string {
	if f.atLeast {
		return "at least " + f.number(f.aim)
	}
	return "at most " + f.number(f.aim)
}

// costAgainst compares the processor time of the product with the limit's.
func costAgainst(limit string, product, bare []reading) figure {
	return figure{
		name: "server CPU, of " + limit, product: micros(values(product, cpuOf)), limit: micros(values(bare, cpuOf)),
		value: ratios(product, bare, cpuOf),
	}
}

// rateAgainst compares the throughput of the product with the limit's.
func rateAgainst(product, bare []reading) figure {
	return figure{
		name: "throughput", product: perSecond(values(product, rateOf)), limit: perSecond(values(bare, rateOf)),
		value: ratios(product, bare, rateOf), atLeast: true,
	}
}

func perSecond(s spread) string { return fmt.Sprintf("%.0f/s", s.median) }

func micros(s spread) string { return figure{unit: "µs"}.number(s.median) }

func millis(s spread) string { return fmt.Sprintf("%.1f ms", s.median) }

// percentile returns a percentile of a sorted list.
func percentile(times []time.Duration, p int) time.Duration {
	if len(times) == 0 {
		return 0
	}
	sorted := slices.Sorted(slices.Values(times))
	return sorted[min(len(sorted)-1, len(sorted)*p/100)]
}
