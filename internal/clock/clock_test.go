package clock

import (
	"sync"
	"testing"
	"time"
)

// A time that is written and read back equals itself.
func TestPrecision(t *testing.T) {
	t.Parallel()
	berlin := time.FixedZone("CEST", 2*60*60)
	fine := time.Date(2026, 5, 4, 3, 2, 1, 123_456_789, berlin)
	manual := NewManual(fine)
	moved := NewManual(fine)
	moved.Advance(1999 * time.Nanosecond)
	for name, now := range map[string]time.Time{"system": System{}.Now(), "manual": manual.Now(), "moved": moved.Now()} {
		if now != time.UnixMicro(now.UnixMicro()).UTC() {
			t.Errorf("%s: %v is not in UTC and whole microseconds", name, now)
		}
	}
	if want := time.Date(2026, 5, 4, 1, 2, 1, 123_456_000, time.UTC); !manual.Now().Equal(want) {
		t.Errorf("the manual clock shows %v, want %v", manual.Now(), want)
	}
}

func TestSystem_IsTheMachines(t *testing.T) {
	t.Parallel()
	if off := time.Since(System{}.Now()); off < 0 || off > time.Minute {
		t.Errorf("the clock is %v behind", off)
	}
}

func TestManual_Advance(t *testing.T) {
	t.Parallel()
	start := time.Date(2026, 5, 4, 3, 2, 1, 0, time.UTC)
	m := NewManual(start)
	var group sync.WaitGroup
	for range 100 {
		group.Go(func() {
			m.Advance(time.Second)
			m.Advance(-time.Millisecond)
			_ = m.Now()
		})
	}
	group.Wait()
	if want := start.Add(100 * 999 * time.Millisecond); !m.Now().Equal(want) {
		t.Errorf("the clock shows %v, want %v", m.Now(), want)
	}
}
