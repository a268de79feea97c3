package tally

import (
	"slices"
	"sync/atomic"
	"time"
)

// Value is what can be measured: time spans and sizes.
type Value interface {
	time.Duration | int
}

// Histogram counts values in buckets. It is safe for concurrent use.
type Histogram[V Value] struct {
	bounds []V
	counts []atomic.Uint64 // one for each bound, and one for larger values
	sum    atomic.Int64
}

// New returns a Histogram with the given upper bounds, which are inclusive and
// ascending.
func New[V Value](bounds ...V) *Histogram[V] {
	return &Histogram[V]{bounds: bounds, counts: make([]atomic.Uint64, len(bounds)+1)}
}

// Observe counts a value.
func (h *Histogram[V]) Observe(v V) {
	i := 0
	for i < len(h.bounds) && v > h.bounds[i] {
		i++
	}
	h.counts[i].Add(1)
	h.sum.Add(int64(v))
}

// Snapshot is the state of a Histogram at one time.
type Snapshot[V Value] struct {
	Bounds []V
	Counts []uint64 // values up to each bound, cumulative
	Count  uint64   // all values
	Sum    V
}

// Snapshot returns a copy. A value that is observed meanwhile may be in the
// counts but not in the sum.
func (h *Histogram[V]) Snapshot() Snapshot[V] {
	s := Snapshot[V]{Bounds: slices.Clone(h.bounds), Counts: make([]uint64, len(h.bounds)), Sum: V(h.sum.Load())}
	for i := range h.counts {
		s.Count += h.counts[i].Load()
		if i < len(s.Counts) {
			s.Counts[i] = s.Count
		}
	}
	return s
}
