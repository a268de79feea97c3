package lease_test

import (
	"path/filepath"
	"testing"
	"testing/synctest"
	"time"

	"portico/internal/lease"
	"portico/internal/store"
)

// bundle is a database that processes share.
type bundle struct {
	*testing.T
	store *store.Store
}

// inBubble runs fn in a time of its own.
func inBubble(t *testing.T, fn func(b *bundle)) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s, err := store.Open(t.Context(), store.Config{URL: "sqlite:" + filepath.Join(t.TempDir(), "p.db")})
		if err != nil {
			t.Fatal(err)
		}
		defer s.Close()
		if _, err := s.Migrate(t.Context()); err != nil {
			t.Fatal(err)
		}
		fn(&bundle{t, s})
	})
}

func (b *bundle) holds(l *lease.Lease, want bool, when string) {
	b.Helper()
	var held bool
	err := b.store.Write(b.Context(), func(tx *store.Tx) (err error) {
		held, err = l.Hold(b.Context(), tx)
		return err
	})
	if err != nil || held != want {
		b.Errorf("%s: held %v (%v), want %v", when, held, err, want)
	}
}

func TestHold_OneWhileItBeats(t *testing.T) {
	inBubble(t, func(b *bundle) {
		first, second := lease.New("work"), lease.New("work")
		for range 30 {
			b.holds(first, true, "the holder")
			b.holds(second, false, "another")
			time.Sleep(lease.Beat)
		}
		b.holds(lease.New("other work"), true, "another lease")
	})
}

// FLT-22: a holder that is gone or frozen is replaced within a minute, and when
// it wakes up it is one that does not hold.
func TestHold_Frozen(t *testing.T) {
	inBubble(t, func(b *bundle) {
		frozen, next := lease.New("work"), lease.New("work")
		b.holds(frozen, true, "before")
		var taken time.Duration
		for ; taken < time.Minute; taken += lease.Beat {
			var held bool
			_ = b.store.Write(b.Context(), func(tx *store.Tx) (err error) {
				held, err = next.Hold(b.Context(), tx)
				return err
			})
			if held {
				break
			}
			time.Sleep(lease.Beat)
		}
		if taken < lease.Free || taken >= time.Minute {
			t.Errorf("it was taken after %v, want after %v and within a minute", taken, lease.Free)
		}
		b.holds(frozen, false, "awake again")
		b.holds(next, true, "the next")
	})
}

func TestRelease(t *testing.T) {
	inBubble(t, func(b *bundle) {
		first, second := lease.New("work"), lease.New("work")
		release := func(l *lease.Lease) {
			if err := b.store.Write(b.Context(), func(tx *store.Tx) error { return l.Release(b.Context(), tx) }); err != nil {
				b.Error(err)
			}
		}
		release(first) // which never had it
		b.holds(first, true, "before")
		release(second) // nor did this
		b.holds(second, false, "while it is held")
		release(first)
		b.holds(second, true, "when it was given back")
		b.holds(first, false, "afterwards")
	})
}
