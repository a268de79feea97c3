package faults

import (
	"context"
	"sync"
	"testing"
	"time"

	"portico/internal/ids"
	"portico/internal/store"
)

// smallWrites returns the times of small writes, one after the other.
func smallWrites(ctx context.Context, t *testing.T, s *store.Store) (waits []time.Duration) {
	t.Helper()
	for ctx.Err() == nil {
		began := time.Now()
		err := s.Write(t.Context(), func(tx *store.Tx) error { return tx.DeleteThrottle(t.Context(), ids.New()) })
		if err != nil {
			t.Errorf("a small write: %v", err)
			return waits
		}
		waits = append(waits, time.Since(began))
		time.Sleep(time.Millisecond)
	}
	return waits
}

// purged deletes expired rows as the application does, for a while, from a
// database in which nearly everything has expired. It returns the time of each
// transaction, and the times of small writes beside it.
func purged(t *testing.T, s *store.Store, length time.Duration) (batches, waits []time.Duration) {
	t.Helper()
	ctx, stop := context.WithTimeout(t.Context(), length)
	defer stop()
	later := time.Now().Add(500 * 24 * time.Hour)
	var purging sync.WaitGroup
	purging.Go(func() {
		defer stop()
		for _, kind := range store.Purgeable(later, later.AddDate(0, 0, -400)) {
			for more := true; more && ctx.Err() == nil; {
				began := time.Now()
				err := s.Write(t.Context(), func(tx *store.Tx) (err error) {
					more, err = tx.Purge(t.Context(), kind)
					return err
				})
				if err != nil {
					t.Errorf("purge: %v", err)
					return
				}
				batches = append(batches, time.Since(began))
			}
		}
	})
	waits = smallWrites(ctx, t, s)
	purging.Wait()
	return batches, waits
}

func quietWrites(t *testing.T, s *store.Store, length time.Duration) []time.Duration {
	t.Helper()
	ctx, stop := context.WithTimeout(t.Context(), length)
	defer stop()
	return smallWrites(ctx, t, s)
}

// purgeDoesNotBlock fails if a small write waits for the deletion beside it.
func purgeDoesNotBlock(t *testing.T, url string) {
	t.Helper()
	length := time.Duration(rounds(1, 15)) * time.Second
	s, err := store.Open(t.Context(), store.Config{URL: url})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	alone := quietWrites(t, s, length/4)
	batches, waits := purged(t, s, length)
	alone = append(alone, quietWrites(t, s, length/4)...)
	t.Logf("FLT-23: purge: %d transactions, p50 %v, the slowest %v; a write beside it waited p50 %v p99 %v, at most %v; alone p50 %v p99 %v, at most %v",
		len(batches), percentile(batches, 50), percentile(batches, 100), percentile(waits, 50), percentile(waits, 99), percentile(waits, 100),
		percentile(alone, 50), percentile(alone, 99), percentile(alone, 100))
	// The wait of a write without a purge is subtracted, because the disk
	// causes it.
	if wait := percentile(waits, 99) - percentile(alone, 99); full() && wait > 100*time.Millisecond {
		t.Errorf("one write in a hundred waited %v for a purge", wait)
	}
}
