package faults

import (
	"context"
	"sync"
	"testing"
	"time"

	"portico/internal/ids"
	"portico/internal/store"
)

// purged deletes what has ended, of a database in which nearly everything has,
// as the application does, for a while, and returns how long each of its
// transactions took and how long small writes beside it waited.
func purged(t *testing.T, url string, length time.Duration) (batches, waits []time.Duration) {
	t.Helper()
	s, err := store.Open(t.Context(), store.Config{URL: url})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	ctx, stop := context.WithTimeout(t.Context(), length)
	defer stop()
	later := time.Now().Add(500 * 24 * time.Hour)
	var purging sync.WaitGroup
	purging.Go(func() {
		defer stop()
		for more := true; more && ctx.Err() == nil; {
			began := time.Now()
			err := s.Write(t.Context(), func(tx *store.Tx) (err error) {
				more, err = tx.Purge(t.Context(), later, 400*24*time.Hour)
				return err
			})
			if err != nil {
				t.Errorf("purge: %v", err)
				return
			}
			batches = append(batches, time.Since(began))
		}
	})
	for ctx.Err() == nil {
		began := time.Now()
		err := s.Write(t.Context(), func(tx *store.Tx) error { return tx.DeleteThrottle(t.Context(), ids.New()) })
		if err != nil {
			t.Errorf("a write beside a purge: %v", err)
			break
		}
		waits = append(waits, time.Since(began))
		time.Sleep(time.Millisecond)
	}
	purging.Wait()
	return batches, waits
}

// purgeBlocksNobody holds that a small write does not wait for what is deleted
// beside it.
func purgeBlocksNobody(t *testing.T, url string) {
	t.Helper()
	batches, waits := purged(t, url, time.Duration(rounds(1, 15))*time.Second)
	t.Logf("FLT-23: purge: %d transactions, p50 %v, the slowest %v; a write beside it waited p50 %v p99 %v, at most %v",
		len(batches), percentile(batches, 50), percentile(batches, 100), percentile(waits, 50), percentile(waits, 99), percentile(waits, 100))
	// The tail is that of a disk which others use as well.
	if full() && percentile(waits, 90) > 100*time.Millisecond {
		t.Errorf("one write in ten waited %v for a purge", percentile(waits, 90))
	}
}
