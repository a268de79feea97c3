package security

import (
	"math"
	"slices"
	"sync"
	"testing"
	"time"
)

// comparison is the result of interleaved measurements of two functions.
type comparison struct {
	n       int
	a, b    time.Duration // medians
	auc     float64       // the probability that a value of b is greater than one of a: 0.5 if they are alike
	slowest time.Duration
}

// compare measures a and b in turn, n times each, and alternates the order. A
// disturbance of the machine then affects both.
func compare(n int, a, b func() time.Duration) comparison {
	var as, bs []time.Duration
	for i := range n {
		if i%2 == 0 {
			as, bs = append(as, a()), append(bs, b())
		} else {
			bs, as = append(bs, b()), append(as, a())
		}
	}
	return comparison{n: n, a: median(as), b: median(bs), auc: auc(as, bs), slowest: max(slices.Max(as), slices.Max(bs))}
}

func median(list []time.Duration) time.Duration {
	sorted := slices.Sorted(slices.Values(list))
	return sorted[len(sorted)/2]
}

// auc is the area under the curve of the rank-sum test (Mann-Whitney U / nm).
func auc(as, bs []time.Duration) float64 {
	greater := 0.0
	for _, a := range as {
		for _, b := range bs {
			switch {
			case b > a:
				greater++
			case b == a:
				greater += 0.5
			}
		}
	}
	return greater / float64(len(as)*len(bs))
}

// judge prints the figures and fails if they tell a from b.
//
// The full form measures three times and fails if two measurements fail: by a
// difference above the floor or 5 % of the time, or by the ranks. The short
// form has few samples and runs beside other tests, so it requires both, with
// wider limits. A difference that matters, such as a missing hash, fails any of
// these. A query takes less than these limits, so the short form judges on one engine.
func judge(t *testing.T, what string, n int, floor time.Duration, a, b func() time.Duration) {
	t.Helper()
	if leftToSQLite() {
		t.Logf("%s: the short form compares times on SQLite", what)
		return
	}
	measurements, failed := 1, 0
	if full() {
		measurements = 3
	}
	for range measurements {
		c := compare(n, a, b)
		limit := max(floor, c.a/20)
		difference, ranks := (c.b - c.a).Abs(), math.Abs(c.auc-0.5)
		// A constant difference moves the ranks of a quick answer even if no
		// network lets a caller measure it. Ranks count from 100 µs on.
		tells := difference > limit && ranks > 0.04 || ranks > 0.08 && difference > 100*time.Microsecond
		if !full() {
			limit = max(floor, c.a/3)
			tells = difference > limit && ranks > 0.2
		}
		if tells {
			failed++
		}
		t.Logf("%s: n=%d median %v and %v (difference %v, limit %v), AUC %.3f, slowest %v",
			what, c.n, c.a.Round(time.Microsecond), c.b.Round(time.Microsecond), (c.b - c.a).Round(time.Microsecond), limit, c.auc, c.slowest.Round(time.Millisecond))
	}
	if failed > measurements/2 && !raceDetector {
		t.Errorf("%s: the time tells one from the other in %d of %d measurements", what, failed, measurements)
	}
}

// timed returns how long fn takes.
func timed(fn func()) time.Duration {
	start := time.Now()
	fn()
	return time.Since(start)
}

// atOnce starts n functions at the same moment and waits for them.
func atOnce(n int, fn func(i int)) {
	var ready, all sync.WaitGroup
	ready.Add(n)
	for i := range n {
		all.Go(func() {
			ready.Done()
			ready.Wait()
			fn(i)
		})
	}
	all.Wait()
}

func TestStatistics(t *testing.T) {
	announce(t)
	t.Parallel()
	steady := func(d time.Duration) func() time.Duration {
		i := 0
		return func() time.Duration { i++; return d + time.Duration(i*7919%100)*time.Microsecond }
	}
	if c := compare(200, steady(time.Millisecond), steady(time.Millisecond)); math.Abs(c.auc-0.5) > 0.02 {
		t.Errorf("equal measurements have the AUC %.3f", c.auc)
	}
	if c := compare(200, steady(time.Millisecond), steady(2*time.Millisecond)); c.auc != 1 || c.b-c.a != time.Millisecond {
		t.Errorf("a millisecond more has the AUC %.3f and the difference %v", c.auc, c.b-c.a)
	}
}
