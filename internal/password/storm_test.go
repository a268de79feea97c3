package password

import (
	"errors"
	"runtime"
	"runtime/debug"
	"slices"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"portico/internal/password/argon2"
)

// SEC-176, FLT-19: 500 sign-ins at once. Admitted ones are answered, the others
// are refused at once, and the memory stays at the slots' size.
//
// Not parallel: it measures the memory of the process.
func TestStorm(t *testing.T) {
	defer debug.SetGCPercent(debug.SetGCPercent(100)) // as in the product
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
		t.Errorf("stats %+v, want %d refused and no caller left", got, refused.Load())
	}
	// Each slot holds its memory. The calls need little more.
	if most := uint64(slots*19 + 8); grown > most {
		t.Errorf("the heap grew by %d MiB, want at most %d", grown, most)
	}
}

func inUse() uint64 {
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapInuse
}

// SEC-002: the time of an answer reveals neither whether the account exists nor
// whether its hash has an older, lower cost, nor whether another system made it (SEC-405).
// A missing hash would differ by 100 percent, and an older cost by 40 or 80, in elapsed time and in processor
// time. The known account is timed twice. If those two differ, the machine is
// too busy for a result.
//
// Not parallel: it measures the process.
func TestTiming(t *testing.T) {
	for _, test := range []struct {
		name   string
		older  Cost
		now    Cost
		rounds int
	}{
		{"fewer passes before", Cost{floorMemory, 1}, Cost{floorMemory, 2}, 20},
		{"less memory before", Cost{floorMemory, 2}, Cost{2 * floorMemory, 4}, 10},
		{"nearly the same before", Cost{floorMemory, 5}, Cost{floorMemory, 6}, 10},
	} {
		t.Run(test.name, func(t *testing.T) {
			quiet := 0
			for try := 0; try < 12 && quiet < 6; try++ {
				q := efforts(t, test.older, test.now, test.rounds)
				t.Logf("try %d: %v", try+1, q)
				if !near(q["known"].computing, q["known again"].computing, 10) {
					continue
				}
				if quiet++; q["known"].like(q["older"]) && q["known"].like(q["nobody"]) && q["imported"].like(q["nobody"]) {
					return
				}
			}
			if quiet < 6 {
				t.Skip("the machine is too busy for measuring time")
			}
			t.Error("the times tell them apart")
		})
	}
}

// effort is the elapsed time and the processor time of an answer. A busy
// machine affects both, but not at once: waiting adds to the first, and Spend,
// which follows the clock, changes the second.
type effort struct{ waiting, computing time.Duration }

func (e effort) like(other effort) bool {
	return near(e.waiting, other.waiting, 30) || near(e.computing, other.computing, 30)
}

func near(a, b, percent time.Duration) bool { return max(a, b)*100 <= min(a, b)*(100+percent) }

// efforts returns the effort of refusing a wrong password: for an account with
// a current hash, with an older hash, with a foreign hash, and without an account.
func efforts(t *testing.T, before, now Cost, rounds int) map[string]effort {
	s := newService(t, func(c *Config) { c.Cost = now })
	ofNow, ofBefore := hashOf(t, s, "quilt zebra violin"), oldHash(t, s, before, "quilt zebra violin")
	imported, _, err := s.Adopt("f453e7788d04c649d0ef32eac9707e51") // MD5
	if err != nil {
		t.Fatal(err)
	}
	verify := func(hash string) error {
		_, _, err := s.Verify(t.Context(), hash, "quilt zebra viola")
		return err
	}
	waiting, computing := map[string][]time.Duration{}, map[string][]time.Duration{}
	for range rounds {
		for name, refuse := range map[string]func() error{ // in random order
			"known":       func() error { return verify(ofNow) },
			"known again": func() error { return verify(ofNow) },
			"older":       func() error { return verify(ofBefore) },
			"imported":    func() error { return verify(imported) },
			"nobody":      func() error { return s.VerifyNobody(t.Context(), "quilt zebra viola") },
		} {
			start, before := time.Now(), computed(t)
			if err := refuse(); err != nil {
				t.Fatal(err)
			}
			waiting[name] = append(waiting[name], time.Since(start))
			computing[name] = append(computing[name], computed(t)-before)
		}
	}
	typical := map[string]effort{}
	for name := range waiting {
		typical[name] = effort{median(waiting[name]), median(computing[name])}
	}
	return typical
}

func median(list []time.Duration) time.Duration {
	slices.Sort(list)
	return list[len(list)/2]
}

// computed returns the processor time of the process.
func computed(t *testing.T) time.Duration {
	t.Helper()
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		t.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// oldHash returns the hash of an installation with another cost.
func oldHash(t testing.TB, s *Service, c Cost, password string) string {
	t.Helper()
	h := s.blank()
	h.cost = c
	var err error
	if h.tag, err = s.tag(argon2.NewArena(), password, h); err != nil {
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
