package password

import (
	"context"
	"errors"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"portico/internal/fault"
	"portico/internal/password/argon2"
)

// busy returns the fault of refused work.
func busy(t *testing.T, err error) *fault.Error {
	t.Helper()
	got := fault.From(err)
	if got == nil || got.Kind != fault.Unavailable || got.Code != CodeBusy {
		t.Fatalf("do = %v, want %s", err, CodeBusy)
	}
	return got
}

// occupy starts n jobs that take d each. It returns when they run or wait. The
// test ends after them.
func occupy(t *testing.T, g *slots, n int, d time.Duration) {
	t.Helper()
	var all sync.WaitGroup
	for range n {
		all.Go(func() {
			if err := g.do(t.Context(), sleep(d)); err != nil && !errors.Is(err, context.Canceled) {
				t.Error(err)
			}
		})
	}
	t.Cleanup(all.Wait)
	synctest.Wait()
}

func sleep(d time.Duration) func(*argon2.Arena) error {
	return func(*argon2.Arena) error { time.Sleep(d); return nil }
}

// refused returns a job that fails the test if it runs.
func refused(t *testing.T) func(*argon2.Arena) error {
	return func(*argon2.Arena) error { t.Error("refused work ran"); return nil }
}

func TestGate_SlotsBoundWhatRuns(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		g := newSlots(2, 10, time.Minute, floorMemory)
		start := time.Now()
		occupy(t, g, 6, time.Second)
		if got := g.figures(); got.Running != 2 || got.Waiting != 4 {
			t.Errorf("stats %+v, want 2 running and 4 waiting", got)
		}
		if err := g.do(t.Context(), sleep(time.Second)); err != nil {
			t.Error(err)
		}
		if took := time.Since(start); took != 4*time.Second {
			t.Errorf("seven seconds of work in two slots took %v, want 4s", took)
		}
		want := Stats{Slots: 2, Pace: time.Second, Finished: 7}
		if got := g.figures(); got != want {
			t.Errorf("stats %+v, want %+v", got, want)
		}
		if got := g.taken.Snapshot(); got.Count != 7 || got.Sum != 7*time.Second {
			t.Errorf("%d pieces of work took %v, want 7 in 7s", got.Count, got.Sum)
		}
	})
}

func TestGate_FirstComeFirstServed(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		g := newSlots(1, 10, time.Minute, floorMemory)
		var all sync.WaitGroup
		var order []int
		for i := range 5 {
			all.Go(func() {
				if err := g.do(t.Context(), func(*argon2.Arena) error {
					order = append(order, i)
					time.Sleep(time.Second)
					return nil
				}); err != nil {
					t.Error(err)
				}
			})
			synctest.Wait()
		}
		all.Wait()
		if want := []int{0, 1, 2, 3, 4}; !slices.Equal(order, want) {
			t.Errorf("order %v, want %v", order, want)
		}
	})
}

func TestGate_FullQueue(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		g := newSlots(1, 2, time.Minute, floorMemory)
		if err := g.do(t.Context(), sleep(4*time.Second)); err != nil { // sets the rate
			t.Fatal(err)
		}
		occupy(t, g, 3, 4*time.Second)
		start := time.Now()
		told := busy(t, g.do(t.Context(), refused(t)))
		if time.Since(start) != 0 {
			t.Error("the refusal took time")
		}
		if want := 12 * time.Second; told.RetryAfter != want { // two waiting jobs and this one
			t.Errorf("RetryAfter %v, want %v", told.RetryAfter, want)
		}
		if got := g.figures(); got.Refused != 1 || got.Waiting != 2 {
			t.Errorf("stats %+v, want 1 refused and 2 waiting", got)
		}
	})
}

// With the rate known, a caller who would wait too long is refused at once.
func TestGate_QueueTooSlow(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		g := newSlots(1, 100, 5*time.Second, floorMemory)
		if err := g.do(t.Context(), sleep(2*time.Second)); err != nil {
			t.Fatal(err)
		}
		occupy(t, g, 3, 2*time.Second)
		start := time.Now()
		busy(t, g.do(t.Context(), sleep(0)))
		if time.Since(start) != 0 {
			t.Error("the refusal took time")
		}
	})
}

// With the rate unknown or falling, the longest wait still applies.
func TestGate_LongestWait(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		g := newSlots(1, 100, 5*time.Second, floorMemory)
		occupy(t, g, 1, time.Minute)
		start := time.Now()
		told := busy(t, g.do(t.Context(), refused(t)))
		if took := time.Since(start); took != 5*time.Second {
			t.Errorf("waited %v, want 5s", took)
		}
		if told.RetryAfter < time.Second {
			t.Errorf("RetryAfter %v, want at least a second", told.RetryAfter)
		}
		if got := g.figures(); got.Refused != 1 || got.Waiting != 0 {
			t.Errorf("stats %+v, want 1 refused and no caller waiting", got)
		}
	})
}

func TestGate_EndedContextGivesItsPlaceBack(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		g := newSlots(1, 1, time.Minute, floorMemory)
		occupy(t, g, 1, 10*time.Second)
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if err := g.do(ctx, refused(t)); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("do = %v, want the context's error", err)
		}
		if got := g.figures(); got.Abandoned != 1 || got.Waiting != 0 {
			t.Errorf("stats %+v, want 1 abandoned and no caller waiting", got)
		}
		if err := g.do(t.Context(), sleep(0)); err != nil {
			t.Errorf("the place was not given back: %v", err)
		}
	})
}

func TestGate_PanicGivesItsSlotBack(t *testing.T) {
	t.Parallel()
	g := newSlots(1, 1, time.Minute, floorMemory)
	func() {
		defer func() { _ = recover() }()
		_ = g.do(t.Context(), func(*argon2.Arena) error { panic("broken work") })
	}()
	if got := g.figures(); got.Running != 0 {
		t.Errorf("stats %+v, want a free slot", got)
	}
}

// The slots keep their memory between hashes, but not the memory of a more
// expensive hash. Without callers for a while they keep none.
func TestGate_MemoryOfTheSlots(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		g := newSlots(2, 1, time.Minute, 64)
		hash := func(memory uint32) {
			t.Helper()
			err := g.do(t.Context(), func(arena *argon2.Arena) error {
				_, err := derive(arena, "password", []byte("somesalt"), Cost{Memory: memory, Passes: 1})
				return err
			})
			if err != nil {
				t.Fatal(err)
			}
		}
		expect := func(when string, want uint32) {
			t.Helper()
			var held uint32
			for range cap(g.free) {
				slot := <-g.free
				held += slot.Size()
				g.free <- slot
			}
			if held != want {
				t.Errorf("%s the slots hold %d KiB, want %d", when, held, want)
			}
		}
		expect("before the first hash", 0)
		for range 5 {
			hash(64)
		}
		expect("after five", 128)
		hash(128)
		expect("after a dearer one", 64)
		hash(64)
		hash(64)
		time.Sleep(restAfter - time.Second)
		hash(64)
		time.Sleep(restAfter - time.Second)
		expect("after a pause", 128)
		time.Sleep(2 * time.Second)
		expect("after a longer pause", 0)
		hash(64)
		expect("after that", 64)
		g.close()
		expect("at the end", 0)
	})
}

func TestGate_ErrorOfTheWork(t *testing.T) {
	t.Parallel()
	g := newSlots(1, 1, time.Minute, floorMemory)
	broken := errors.New("broken work")
	if err := g.do(t.Context(), func(*argon2.Arena) error { return broken }); !errors.Is(err, broken) {
		t.Errorf("do = %v, want the error of the work", err)
	}
}
