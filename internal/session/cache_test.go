package session

import (
	"fmt"
	"runtime"
	"sync"
	"testing"
	"time"

	"portico/internal/clock"
	"portico/internal/secret"
)

func start() time.Time { return time.Date(2026, 5, 4, 3, 2, 1, 0, time.UTC) }

// sample returns a session of one of ten accounts, with the key of its token.
func sample(n int) (key, Found) {
	return key(secret.Hash(fmt.Sprint(n))), Found{
		Session: Session{ID: fmt.Sprint("s", n), LastSeenAt: start()},
		User:    User{ID: fmt.Sprint("a", n%10)},
	}
}

// size returns the number of entries in the cache. It fails if the indexes of
// the cache differ.
func (c *cache) size(t *testing.T) int {
	t.Helper()
	kept, owned := 0, 0
	for i := range c.shard {
		kept += len(c.shard[i].entries)
	}
	for id, first := range c.accounts {
		if first == nil || first.prev != nil {
			t.Fatalf("the sessions of account %s begin with %+v", id, first)
		}
		for e := first; e != nil; e = e.next {
			if e.next != nil && e.next.prev != e {
				t.Errorf("the sessions of account %s are linked one way only", id)
			}
			if e.found.User.ID != id || c.byID[e.found.Session.ID] != e {
				t.Errorf("account %s has the session %s of %s", id, e.found.Session.ID, e.found.User.ID)
			}
			owned++
		}
	}
	if kept != owned || kept != len(c.byID) {
		t.Errorf("%d sessions by token, %d by account, %d by id", kept, owned, len(c.byID))
	}
	return kept
}

func TestCache_Limit(t *testing.T) {
	t.Parallel()
	const limit = 4 * shards
	c := newCache(limit)
	for n := range 20 * limit {
		k, found := sample(n)
		c.put(k, found, c.generation())
		if c.get(k) == nil {
			t.Fatal("the newest session was not kept")
		}
	}
	if size := c.size(t); size != limit {
		t.Errorf("%d sessions are kept, want %d", size, limit)
	}
}

// A use that is only in memory survives the removal of its entry.
func TestCache_UsesOfDroppedEntries(t *testing.T) {
	t.Parallel()
	c := newCache(shards)
	k, found := sample(1)
	later := start().Add(time.Minute)
	c.use(c.put(k, found, c.generation()), later)
	c.drop(k)
	if seen := c.seen("s1"); !seen.Equal(later) {
		t.Errorf("the dropped session was last used at %v, want %v", seen, later)
	}
	if e := c.put(k, found, c.generation()); !e.lastSeen().Equal(later) {
		t.Errorf("read again, it was last used at %v, want %v", e.lastSeen(), later)
	}
	for _, want := range []int{2, 0} { // of the removed entry and of the new one
		if used := c.takeUsed(); len(used) != want {
			t.Errorf("uses to write: %v, want %d", used, want)
		}
	}
}

func TestCache_Sweep(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		idle  time.Duration
		limit time.Duration // how long an entry may stay unused
	}{
		"an hour":      {7 * 24 * time.Hour, time.Hour},
		"a short idle": {5 * time.Minute, 5 * time.Minute},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := newCache(100 * shards)
			for n := range 20 {
				k, found := sample(n)
				e := c.put(k, found, c.generation())
				if n < 5 {
					e.see(start().Add(time.Second))
				}
			}
			c.sweep(start().Add(tt.limit), tt.idle)
			if size := c.size(t); size != 20 {
				t.Errorf("%d of 20 are kept at the limit", size)
			}
			c.sweep(start().Add(tt.limit+time.Second), tt.idle)
			if size := c.size(t); size != 5 {
				t.Errorf("%d are kept, want the 5 that were used since", size)
			}
		})
	}
}

func TestFlush_Sweeps(t *testing.T) {
	t.Parallel()
	now := clock.NewManual(start())
	keeper := NewKeeper(Config{Clock: now, Idle: 7 * 24 * time.Hour, CacheMax: shards})
	k, found := sample(1)
	keeper.cache.put(k, found, 0)
	now.Advance(2 * time.Hour)
	_ = keeper.Flush(t.Context(), nil) // nothing was used, so nothing is written
	if size := keeper.cache.size(t); size != 0 {
		t.Errorf("%d unused sessions are kept", size)
	}
}

func TestCache_SeeNeverBack(t *testing.T) {
	t.Parallel()
	k, found := sample(1)
	e := newCache(shards).put(k, found, 0)
	for _, step := range []time.Duration{time.Second, -time.Hour, 0} {
		e.see(start().Add(step))
	}
	if want := start().Add(time.Second); !e.lastSeen().Equal(want) {
		t.Errorf("last used at %v, want %v", e.lastSeen(), want)
	}
}

// All operations at once, for the race detector and the indexes.
func TestCache_Parallel(t *testing.T) {
	t.Parallel()
	c := newCache(2 * shards)
	var group sync.WaitGroup
	for worker := range 8 {
		group.Go(func() {
			for n := range 500 {
				k, found := sample(n * (worker + 1))
				c.put(k, found, c.generation()).see(start().Add(time.Duration(n) * time.Second))
				c.get(k)
				switch n % 50 {
				case 10:
					c.forget(found.User.ID)
				case 20:
					c.giveBack(c.takeUsed())
				case 30:
					c.sweep(start().Add(time.Hour), time.Hour)
				case 40:
					c.drop(k)
				}
				c.seen(found.Session.ID)
			}
		})
	}
	group.Wait()
	if size := c.size(t); size > 2*shards {
		t.Errorf("%d sessions are kept, at most %d", size, 2*shards)
	}
}

// BenchmarkCache_Put keeps one session of every account, and reports the memory
// of each.
func BenchmarkCache_Put(b *testing.B) {
	var before, after runtime.MemStats
	keys, founds := make([]key, b.N), make([]Found, b.N)
	for n := range b.N {
		keys[n], founds[n] = sample(n)
		founds[n].User.ID = fmt.Sprint("a", n)
	}
	c := newCache(2 * b.N)
	runtime.GC()
	runtime.ReadMemStats(&before)
	b.ResetTimer()
	for n := range b.N {
		c.put(keys[n], founds[n], 0)
	}
	b.StopTimer()
	runtime.GC()
	runtime.ReadMemStats(&after)
	b.ReportMetric(float64(after.HeapAlloc-before.HeapAlloc)/float64(b.N), "B/session")
	runtime.KeepAlive(c)
	runtime.KeepAlive(founds)
}
