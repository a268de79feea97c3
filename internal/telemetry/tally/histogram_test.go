package tally_test

import (
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"portico/internal/telemetry/tally"
)

func TestHistogram(t *testing.T) {
	t.Parallel()
	h := tally.New(time.Millisecond, 10*time.Millisecond, time.Second)
	for _, d := range []time.Duration{0, time.Millisecond, time.Millisecond + 1, 10 * time.Millisecond, time.Hour} {
		h.Observe(d)
	}
	want := tally.Snapshot[time.Duration]{
		Bounds: []time.Duration{time.Millisecond, 10 * time.Millisecond, time.Second},
		Counts: []uint64{2, 4, 4}, Count: 5, Sum: time.Hour + 12*time.Millisecond + 1,
	}
	if diff := cmp.Diff(want, h.Snapshot()); diff != "" {
		t.Error(diff)
	}
}

func TestHistogram_ManyAtOnce(t *testing.T) {
	t.Parallel()
	h := tally.New(1, 2)
	var all sync.WaitGroup
	for i := range 4 {
		all.Go(func() {
			for range 1000 {
				h.Observe(i)
			}
		})
	}
	all.Wait()
	want := tally.Snapshot[int]{Bounds: []int{1, 2}, Counts: []uint64{2000, 3000}, Count: 4000, Sum: 6000}
	if diff := cmp.Diff(want, h.Snapshot()); diff != "" {
		t.Error(diff)
	}
}

// The session check counts, so counting must not allocate.
func TestHistogram_AllocatesNothing(t *testing.T) {
	h := tally.New(time.Millisecond, time.Second)
	if n := testing.AllocsPerRun(100, func() { h.Observe(time.Minute) }); n != 0 {
		t.Errorf("one observation allocates %v times", n)
	}
}

func BenchmarkObserve(b *testing.B) {
	h := tally.New(time.Millisecond, 10*time.Millisecond, time.Second)
	b.ReportAllocs()
	for b.Loop() {
		h.Observe(time.Millisecond)
	}
}
