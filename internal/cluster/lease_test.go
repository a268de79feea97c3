package cluster_test

import (
	"testing"
	"time"

	"portico/internal/cluster"
	"portico/internal/store"
)

func (b *bundle) holds(l *cluster.Lease, want bool, when string) {
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
		first, second := cluster.NewLease("work"), cluster.NewLease("work")
		for range 30 {
			b.holds(first, true, "the holder")
			b.holds(second, false, "another")
			time.Sleep(cluster.LeaseBeat)
		}
		b.holds(cluster.NewLease("other work"), true, "another lease")
	})
}

// FLT-22: another node replaces a lease holder that is gone or frozen within a
// minute. The old holder notices this when it continues.
func TestHold_Frozen(t *testing.T) {
	inBubble(t, func(b *bundle) {
		frozen, next := cluster.NewLease("work"), cluster.NewLease("work")
		b.holds(frozen, true, "before")
		var taken time.Duration
		for ; taken < time.Minute; taken += cluster.LeaseBeat {
			var held bool
			_ = b.store.Write(b.Context(), func(tx *store.Tx) (err error) {
				held, err = next.Hold(b.Context(), tx)
				return err
			})
			if held {
				break
			}
			time.Sleep(cluster.LeaseBeat)
		}
		if taken < cluster.LeaseFree || taken >= time.Minute {
			t.Errorf("it was taken after %v, want after %v and within a minute", taken, cluster.LeaseFree)
		}
		b.holds(frozen, false, "awake again")
		b.holds(next, true, "the next")
	})
}

func TestRelease(t *testing.T) {
	inBubble(t, func(b *bundle) {
		first, second := cluster.NewLease("work"), cluster.NewLease("work")
		release := func(l *cluster.Lease) {
			if err := b.store.Write(b.Context(), func(tx *store.Tx) error { return l.Release(b.Context(), tx) }); err != nil {
				b.Error(err)
			}
		}
		release(first) // never held the lease
		b.holds(first, true, "before")
		release(second) // nor does the second
		b.holds(second, false, "while it is held")
		release(first)
		b.holds(second, true, "when it was given back")
		b.holds(first, false, "afterwards")
	})
}
