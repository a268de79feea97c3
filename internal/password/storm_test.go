package password

import (
	"errors"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"portico/internal/password/argon2"
)

// SEC-176, FLT-19: 500 sign-ins at once. What is admitted is answered, the rest
// is refused at once, and memory stays that of the slots. Not parallel: it
// measures the memory of the process.
func TestStorm(t *testing.T) {
	const calls, slots, queue = 500, 2, 8
	s := newService(t, func(c *Config) { c.Slots, c.Queue, c.Wait = slots, queue, time.Minute })
	runtime.GC()
	before := inUse()
	var peak atomic.Uint64
	stop, sampled := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(sampled)
		for {
			select {
			case <-stop:
				return
			default:
				peak.Store(max(peak.Load(), inUse()))
				runtime.Gosched()
			}
		}
	}()
	var done, refused atomic.Int64
	var all sync.WaitGroup
	for range calls {
		all.Go(func() {
			switch err := s.VerifyNobody(t.Context(), "quilt zebra violin"); {
			case err == nil:
				done.Add(1)
			case errors.Is(err, Busy):
				refused.Add(1)
			default:
				t.Error(err)
			}
		})
	}
	all.Wait()
	close(stop)
	<-sampled
	grown := (peak.Load() - min(before, peak.Load())) >> 20
	t.Logf("%d done, %d refused, heap grew by at most %d MiB", done.Load(), refused.Load(), grown)
	if got := done.Load(); got < slots+queue || got+refused.Load() != calls || refused.Load() < calls/2 {
		t.Errorf("%d done and %d refused of %d", got, refused.Load(), calls)
	}
	if got := s.Stats(); got.Refused != uint64(refused.Load()) || got.Waiting != 0 || got.Running != 0 {
		t.Errorf("stats %+v, want %d refused and nobody left", got, refused.Load())
	}
	// Each slot holds its memory; what else the calls need is little.
	if most := uint64(slots*19 + 8); grown > most {
		t.Errorf("the heap grew by %d MiB, want at most %d", grown, most)
	}
}

func inUse() uint64 {
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapInuse
}

// SEC-002: the time of an answer does not tell whether the account exists,
// nor whether its hash is of an older, lower cost. Not parallel: it measures
// time. The bound is wide for the sake of busy machines; what matters is that
// a missing hash would make a difference of 100 percent.
func TestTiming(t *testing.T) {
	const rounds = 40
	s := newService(t, nil)
	known := hashOf(t, s, "quilt zebra violin")
	older := oldHash(t, s, "quilt zebra violin")
	paths := map[string]func() error{
		"known":  func() error { _, _, err := s.Verify(t.Context(), known, "quilt zebra viola"); return err },
		"older":  func() error { _, _, err := s.Verify(t.Context(), older, "quilt zebra viola"); return err },
		"nobody": func() error { return s.VerifyNobody(t.Context(), "quilt zebra viola") },
	}
	times := map[string][]time.Duration{}
	for range rounds {
		for name, path := range paths { // in random order
			start := time.Now()
			if err := path(); err != nil {
				t.Fatal(err)
			}
			times[name] = append(times[name], time.Since(start))
		}
	}
	median := func(name string) time.Duration {
		slices.Sort(times[name])
		return times[name][rounds/2]
	}
	want := median("known")
	// Two short runs cost a little more than a long one: 8 percent, 30 under
	// the race detector.
	for name, most := range map[string]float64{"older": 0.5, "nobody": 0.25} {
		got := median(name)
		share := float64(got-want) / float64(want)
		t.Logf("known %v, %s %v: %+.1f %%", want, name, got, 100*share)
		if share < -0.25 || share > most {
			t.Errorf("%s takes %v, known %v", name, got, want)
		}
	}
}

// oldHash returns the hash of an installation with half of today's cost.
func oldHash(t testing.TB, s *Service, password string) string {
	h := s.blank()
	h.cost = Cost{Memory: floorMemory, Passes: 1}
	var err error
	if h.tag, err = s.peppers[0].tag(argon2.NewArena(), password, h); err != nil {
		t.Fatal(err)
	}
	return h.String()
}

func BenchmarkHash(b *testing.B) {
	s := newService(b, nil)
	for b.Loop() {
		hashOf(b, s, "quilt zebra violin")
	}
}

func BenchmarkVerify(b *testing.B) {
	s := newService(b, nil)
	encoded := hashOf(b, s, "quilt zebra violin")
	b.RunParallel(func(pb *testing.PB) {
		for pb.Next() {
			verify(b, s, encoded, "quilt zebra violin")
		}
	})
}
