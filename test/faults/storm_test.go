package faults

import (
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// Many wrong sign-ins arrive at once. The memory stays at the limit of the
// hashing slots, excess sign-ins get 503 with Retry-After, and session checks
// stay fast.
//
// Not parallel: it measures.
func TestFLT19_SignInStorm(t *testing.T) {
	announce(t)
	p := newPlace(t, newSink(t))
	r := p.serve()
	me := p.browser()
	me.register(fresh("me"))
	quiet := sessionChecks(me, 300*time.Millisecond, nil)
	base, _ := r.rss()

	var shed, bare, answered, broken atomic.Int64
	workers := rounds(300, 500)
	stop := make(chan struct{})
	var storm sync.WaitGroup
	for range workers {
		storm.Go(func() {
			for i := 0; ; i++ {
				b := p.browser()
				for range 90 { // fewer than the failures that one network may cause
					select {
					case <-stop:
						b.close()
						return
					default:
					}
					a, err := b.post("signin", map[string]string{"email": fresh("storm"), "password": "not the right password 7"})
					switch {
					case err != nil:
						broken.Add(1)
					case a.status == 503 && a.header.Get("Retry-After") != "":
						shed.Add(1)
						time.Sleep(500 * time.Millisecond) // half of Retry-After
					case a.status == 401:
						answered.Add(1)
					default:
						bare.Add(1)
					}
				}
				b.close()
			}
		})
	}
	length := time.Duration(rounds(5, 30)) * time.Second
	time.Sleep(length / 5)
	during := sessionChecks(me, length*4/5, nil)
	_, peak := r.rss()
	close(stop)
	storm.Wait()

	slots := runtime.NumCPU()
	limit := base + slots*19 + 64 + workers/4 // slots, twice for the collector, and connections
	t.Logf("FLT-19: %d workers for %v: %d hashed, %d shed with Retry-After, %d otherwise, %d broken; RSS %d MiB before, peak %d MiB (limit %d)",
		workers, length, answered.Load(), shed.Load(), bare.Load(), broken.Load(), base, peak, limit)
	t.Logf("FLT-19: session check p50 %v p99 %v before, p50 %v p99 %v during (%d checks)",
		percentile(quiet, 50), percentile(quiet, 99), percentile(during, 50), percentile(during, 99), len(during))
	if peak > limit {
		t.Errorf("the peak of the memory is %d MiB, at most %d may be", peak, limit)
	}
	if bare.Load() > 0 || broken.Load() > 0 {
		t.Errorf("%d sign-ins were neither answered nor shed with Retry-After, %d failed", bare.Load(), broken.Load())
	}
	if shed.Load() == 0 {
		t.Error("nothing was shed")
	}
	// The short form shares the cores with other tests, so only the full form
	// judges the time.
	if full() && percentile(during, 99) > 50*time.Millisecond {
		t.Errorf("session checks took %v during the storm, at most 50ms", percentile(during, 99))
	}
	if !me.whoami() || !r.alive() {
		t.Error("the session or the process is gone")
	}
}

// sessionChecks checks a session a few hundred times a second, and returns the
// times.
func sessionChecks(b *browser, length time.Duration, times []time.Duration) []time.Duration {
	for end := time.Now().Add(length); time.Now().Before(end); time.Sleep(3 * time.Millisecond) {
		began := time.Now()
		if b.whoami() {
			times = append(times, time.Since(began))
		}
	}
	return times
}
