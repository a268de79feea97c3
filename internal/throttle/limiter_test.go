package throttle_test

import (
	"maps"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"portico/internal/clock"
	"portico/internal/fault"
	"portico/internal/secret"
	"portico/internal/store"
	"portico/internal/store/sqlitetest"
	"portico/internal/throttle"
)

var (
	three = throttle.Limit{Name: "three", Count: 3, Window: time.Hour}
	five  = throttle.Limit{Name: "five", Count: 5, Window: 2 * time.Hour}
)

// bundle is a limiter on a real database.
type bundle struct {
	*testing.T
	store   *store.Store
	clock   *clock.Manual
	limiter *throttle.Limiter
}

func setup(t *testing.T) *bundle {
	t.Helper()
	s := sqlitetest.Open(t)
	b := &bundle{T: t, store: s, clock: clock.NewManual(time.Date(2026, 5, 4, 3, 2, 1, 0, time.UTC))}
	b.limiter = throttle.NewLimiter(secret.NewKey(), b.clock)
	return b
}

func (b *bundle) write(fn func(tx *store.Tx) error) {
	b.Helper()
	if err := b.store.Write(b.Context(), fn); err != nil {
		b.Fatal(err)
	}
}

func (b *bundle) take(attempts ...throttle.Attempt) (d throttle.Decision) {
	b.Helper()
	b.write(func(tx *store.Tx) (err error) {
		d, err = b.limiter.Take(b.Context(), tx, attempts...)
		return err
	})
	return d
}

func (b *bundle) left(attempt throttle.Attempt, want int) {
	b.Helper()
	_ = b.store.Read(b.Context(), func(tx *store.Tx) error {
		if n, err := b.limiter.Left(b.Context(), tx, attempt); n != want || err != nil {
			b.Errorf("%d attempts of %s are left (%v), want %d", n, attempt.Limit.Name, err, want)
		}
		return nil
	})
}

func TestTake(t *testing.T) {
	t.Parallel()
	b := setup(t)
	attempt := throttle.Attempt{Limit: three, Subject: "v@x.test"}
	for want := 2; want >= 0; want-- {
		if d := b.take(attempt); !d.Allowed || d.Left != want {
			t.Errorf("%+v, want %d left", d, want)
		}
	}
	b.clock.Advance(-time.Hour)
	b.left(attempt, 3) // as Take decides
	b.clock.Advance(time.Hour + time.Minute)
	b.left(attempt, 0)
	if d := b.take(attempt); d.Allowed || d.By != "three" || d.Wait != 59*time.Minute {
		t.Errorf("the fourth: %+v", d)
	}
	for _, other := range []throttle.Attempt{{Limit: three, Subject: "w@x.test"}, {Limit: five, Subject: "v@x.test"}} {
		if d := b.take(other); !d.Allowed {
			t.Errorf("another subject or limit: %+v", d)
		}
	}
	b.clock.Advance(59 * time.Minute)
	if d := b.take(attempt); !d.Allowed || d.Left != 2 {
		t.Errorf("after the window: %+v", d)
	}
}

// An attempt that one limit refuses is not counted by the others.
func TestTake_AllOrNone(t *testing.T) {
	t.Parallel()
	b := setup(t)
	narrow, wide := throttle.Attempt{Limit: three, Subject: "s"}, throttle.Attempt{Limit: five, Subject: "s"}
	for want := 2; want >= 0; want-- {
		if d := b.take(wide, narrow); !d.Allowed || d.Left != want {
			t.Errorf("%+v, want the fewest that are left, %d", d, want)
		}
	}
	for range 3 {
		if d := b.take(wide, narrow); d.Allowed || d.By != "three" {
			t.Errorf("%+v, want a refusal by three", d)
		}
	}
	if got := b.limiter.Refused(); !maps.Equal(got, map[string]uint64{"three": 3}) {
		t.Errorf("refused %v, want three by three", got)
	}
	b.left(wide, 2)
	b.take(wide)
	b.take(wide)
	for _, attempts := range [][]throttle.Attempt{{wide, narrow}, {narrow, wide}} {
		if d := b.take(attempts...); d.By != "five" || d.Wait != 2*time.Hour {
			t.Errorf("%+v, want the longest wait", d)
		}
	}
}

// SEC-018: parallel attempts cannot pass the limit.
func TestTake_Parallel(t *testing.T) {
	t.Parallel()
	b := setup(t)
	attempt := throttle.Attempt{Limit: three, Subject: "s"}
	var passed atomic.Int64
	var group sync.WaitGroup
	start := make(chan struct{})
	for range 20 {
		group.Go(func() {
			<-start
			if b.take(attempt).Allowed {
				passed.Add(1)
			}
		})
	}
	close(start)
	group.Wait()
	if passed.Load() != 3 {
		t.Errorf("%d of 20 passed, want 3", passed.Load())
	}
}

func TestReturn(t *testing.T) {
	t.Parallel()
	b := setup(t)
	attempt := throttle.Attempt{Limit: three, Subject: "s"}
	giveBack := func() { b.write(func(tx *store.Tx) error { return b.limiter.Return(t.Context(), tx, attempt) }) }
	b.take(attempt)
	giveBack()
	giveBack()
	b.left(attempt, 3) // never more than the limit
	b.take(attempt)
	b.take(attempt)
	b.left(attempt, 1)
	giveBack()
	b.left(attempt, 2)
}

func TestClear(t *testing.T) {
	t.Parallel()
	b := setup(t)
	attempt, other := throttle.Attempt{Limit: three, Subject: "s"}, throttle.Attempt{Limit: three, Subject: "t"}
	b.take(attempt)
	b.take(other)
	b.write(func(tx *store.Tx) error { return b.limiter.Clear(t.Context(), tx, attempt) })
	b.left(attempt, 3)
	b.left(other, 2)
}

func TestLeft_AfterTheWindow(t *testing.T) {
	t.Parallel()
	b := setup(t)
	attempt := throttle.Attempt{Limit: three, Subject: "s"}
	b.left(attempt, 3)
	b.take(attempt)
	b.clock.Advance(time.Hour - time.Microsecond)
	b.left(attempt, 2)
	b.clock.Advance(time.Microsecond)
	b.left(attempt, 3)
}

func TestStand(t *testing.T) {
	t.Parallel()
	b := setup(t)
	attempt := throttle.Attempt{Limit: three, Subject: "s"}
	stand := func() (throttle.Standing, bool) {
		t.Helper()
		var s throttle.Standing
		var ok bool
		err := b.store.Read(t.Context(), func(tx *store.Tx) (err error) {
			s, ok, err = b.limiter.Stand(t.Context(), tx, attempt)
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
		return s, ok
	}
	if s, ok := stand(); ok {
		t.Errorf("before an attempt: %+v", s)
	}
	end := b.clock.Now().Add(time.Hour)
	b.take(attempt)
	if s, ok := stand(); !ok || s != (throttle.Standing{Used: 1, Clear: end}) {
		t.Errorf("after one attempt: %+v", s)
	}
	b.take(attempt)
	b.take(attempt)
	if s, ok := stand(); !ok || s != (throttle.Standing{Used: 3, Passes: end, Clear: end}) {
		t.Errorf("after the last attempt: %+v", s)
	}
	b.clock.Advance(time.Hour)
	if s, ok := stand(); ok {
		t.Errorf("after the window: %+v", s)
	}
}

// The table reveals no address, and a subject cannot run into the name of its
// limit.
func TestTake_Keys(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.take(throttle.Attempt{Limit: throttle.Limit{Name: "ab", Count: 1, Window: time.Hour}, Subject: "c"})
	if d := b.take(throttle.Attempt{Limit: throttle.Limit{Name: "a", Count: 1, Window: time.Hour}, Subject: "bc"}); !d.Allowed {
		t.Error("two limits share a count")
	}
	b.take(throttle.Attempt{Limit: three, Subject: "v@x.test"})
	_ = b.store.Read(t.Context(), func(tx *store.Tx) error {
		for _, plain := range []string{"v@x.test", "three v@x.test", "threev@x.test"} {
			if s, err := tx.ThrottleState(t.Context(), plain); s.Count != 0 || err != nil {
				t.Errorf("%q is a key of the table (%v)", plain, err)
			}
		}
		return nil
	})
}

func TestRounded(t *testing.T) {
	t.Parallel()
	for d, want := range map[time.Duration]time.Duration{
		-time.Second: time.Second, 0: time.Second, 1: time.Second, time.Second: time.Second,
		time.Second + 1: 2 * time.Second, 90*time.Second - 1: 90 * time.Second,
	} {
		if got := throttle.Rounded(d); got != want {
			t.Errorf("%v is rounded to %v, want %v", d, got, want)
		}
	}
	if f := throttle.Limited(time.Minute); f.Kind != fault.Limited || f.RetryAfter != time.Minute || !strings.HasPrefix(f.Code, "throttle.") {
		t.Errorf("the fault is %+v", f)
	}
}

// Several attempts at once are counted all or none.
func TestTake_SeveralAtOnce(t *testing.T) {
	t.Parallel()
	b := setup(t)
	attempt := throttle.Attempt{Limit: three, Subject: "v@x.test"}
	two := attempt
	two.Times = 2
	if d := b.take(two); !d.Allowed || d.Left != 1 {
		t.Errorf("two of three: %+v", d)
	}
	if d := b.take(two); d.Allowed || d.Wait <= 0 {
		t.Errorf("two more: %+v", d)
	}
	b.left(attempt, 1)
}
