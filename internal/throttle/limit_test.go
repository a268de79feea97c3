package throttle_test

import (
	"testing"
	"time"

	"pgregory.net/rapid"

	"portico/internal/throttle"
)

var (
	start  = time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	window = throttle.Limit{Name: "window", Count: 3, Window: time.Hour}
	ladder = throttle.Limit{Name: "ladder", Count: 10, Window: 30 * 24 * time.Hour, Free: 5, FirstWait: 30 * time.Second, LastWait: 2 * time.Minute}
)

func TestNext_Window(t *testing.T) {
	t.Parallel()
	s, now := throttle.State{}, start
	for want := 2; want >= 0; want-- {
		var d throttle.Decision
		if s, d = window.Next(s, now); !d.Allowed || d.Left != want {
			t.Fatalf("try with %d to come: %+v", want, d)
		}
		now = now.Add(time.Minute)
	}
	same, d := window.Next(s, now)
	if d.Allowed || d.Wait != 57*time.Minute || d.By != "window" || same != s {
		t.Errorf("the fourth try: %+v, state %+v", d, same)
	}
	if _, d = window.Next(s, start.Add(time.Hour)); !d.Allowed || d.Left != 2 {
		t.Errorf("after the window: %+v", d)
	}
}

func TestNext_Ladder(t *testing.T) {
	t.Parallel()
	s, now := throttle.State{}, start
	var waits []time.Duration
	for range 10 {
		var d throttle.Decision
		if s, d = ladder.Next(s, now); !d.Allowed {
			waits = append(waits, d.Wait)
			now = now.Add(d.Wait)
			if s, d = ladder.Next(s, now); !d.Allowed {
				t.Fatalf("refused after the wait that was named: %+v", d)
			}
		}
	}
	want := []time.Duration{30 * time.Second, time.Minute, 2 * time.Minute, 2 * time.Minute, 2 * time.Minute}
	if len(waits) != len(want) {
		t.Fatalf("waits %v, want %v", waits, want)
	}
	for i := range want {
		if waits[i] != want[i] {
			t.Errorf("wait %d is %v, want %v", i, waits[i], want[i])
		}
	}
	if _, d := ladder.Next(s, now.Add(24*time.Hour)); d.Allowed {
		t.Error("the eleventh wrong try in a row was let through")
	}
}

// FLT-10: a clock that jumps never makes a wait longer than the limit says.
func TestNext_ClockSetBack(t *testing.T) {
	t.Parallel()
	s := throttle.State{Count: 5, Last: start, Until: start.Add(time.Hour)}
	if _, d := ladder.Next(s, start.Add(-24*time.Hour)); d.Wait > ladder.FirstWait {
		t.Errorf("wait %v after the clock was set back, want at most %v", d.Wait, ladder.FirstWait)
	}
}

// No sequence of attempts passes more than the limit in a window. A check
// during a refusal changes nothing.
func TestNext_Property(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		l := throttle.Limit{Name: "l", Count: rapid.IntRange(1, 5).Draw(t, "count"), Window: time.Minute}
		s, now, passed := throttle.State{}, start, []time.Time(nil)
		for _, step := range rapid.SliceOfN(rapid.IntRange(0, 40), 1, 60).Draw(t, "seconds") {
			now = now.Add(time.Duration(step) * time.Second)
			next, d := l.Next(s, now)
			if d.Allowed {
				passed = append(passed, now)
			} else if next != s && next != (throttle.State{}) {
				t.Fatalf("a refused try changed %+v to %+v", s, next)
			}
			s = next
		}
		// A fixed window lets at most two windows' worth pass in any minute.
		for i := range passed {
			n := 0
			for _, p := range passed[i:] {
				if p.Sub(passed[i]) < l.Window {
					n++
				}
			}
			if n > 2*l.Count {
				t.Fatalf("%d passed within a minute with a limit of %d", n, l.Count)
			}
		}
	})
}

// A clock that was set back makes no wait longer, and forgets no wrong
// password.
func TestNext_WrittenAhead(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		limit    throttle.Limit
		attempts int
		left     int
		pause    time.Duration
	}{"window": {window, 3, 2, 0}, "ladder": {ladder, 6, 0, 2 * time.Minute}} {
		s, now := throttle.State{}, start
		for range c.attempts {
			var d throttle.Decision
			if s, d = c.limit.Next(s, now); !d.Allowed {
				now = now.Add(d.Wait)
				s, _ = c.limit.Next(s, now)
			}
		}
		if _, d := c.limit.Next(s, now); d.Allowed {
			t.Fatalf("%s: nothing is refused", name)
		}
		for _, back := range []time.Duration{time.Hour, 10 * 365 * 24 * time.Hour} {
			_, d := c.limit.Next(s, now.Add(-back))
			if !d.Allowed || d.Left != c.left {
				t.Errorf("%s, %v back: %+v, want it allowed with %d left", name, back, d, c.left)
			}
			if d.Pause != c.pause {
				t.Errorf("%s, %v back: the next wait is %v, want %v", name, back, d.Pause, c.pause)
			}
		}
		if _, d := c.limit.Next(s, now.Add(-time.Minute)); d.Allowed {
			t.Errorf("%s: a minute back is enough to try again", name)
		}
	}
}
