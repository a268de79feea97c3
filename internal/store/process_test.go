package store_test

import (
	"fmt"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"

	"portico/internal/account"
	"portico/internal/store"
)

// Two stores on one file behave as two processes: a server and an operator's
// command.
func TestProcesses_StartAtOnce(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "p.db")
	var group sync.WaitGroup
	for range 4 {
		group.Go(func() {
			s, err := store.Open(t.Context(), store.Config{URL: "sqlite:" + path})
			if err != nil {
				t.Errorf("one of four opens: %v", err)
				return
			}
			defer s.Close()
			if _, err := s.Migrate(t.Context()); err != nil {
				t.Errorf("one of four migrates: %v", err)
			}
		})
	}
	group.Wait()
}

// Each reads before it writes. The value is unchanged when it writes.
func TestProcesses_WriteAtOnce(t *testing.T) {
	t.Parallel()
	first := migrated(t)
	second := open(t, first.Path())
	const each = 50
	var won atomic.Int64
	var group sync.WaitGroup
	for n := range each {
		for _, s := range []*store.Store{first, second} {
			group.Go(func() {
				err := s.Write(t.Context(), func(tx *store.Tx) error {
					_, taken, err := tx.AccountByKey(t.Context(), fmt.Sprint(n))
					if err != nil || taken {
						return err
					}
					won.Add(1)
					_, err = tx.InsertAccount(t.Context(), account.Account{ID: fmt.Sprint(n), Address: account.Address{Key: fmt.Sprint(n)}})
					return err
				})
				if err != nil {
					t.Error(err)
				}
			})
		}
	}
	group.Wait()
	if won.Load() != each {
		t.Errorf("%d accounts were made, want %d", won.Load(), each)
	}
}
