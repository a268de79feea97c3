package app

import (
	"fmt"
	"testing"
	"time"

	"portico/internal/outbox"
	"portico/internal/store"
)

// A flush reaches every email, in as many transactions as it takes.
func TestFlushEmails_Many(t *testing.T) {
	t.Parallel()
	a := open(t, settings(t, t.TempDir()), Options{})
	t.Cleanup(func() { a.end(t) })
	const many = 1200
	err := a.Store.Write(t.Context(), func(tx *store.Tx) error {
		for i := range many {
			if err := tx.InsertMessage(t.Context(), outbox.Record{ID: fmt.Sprint(i), DueAt: a.clock.Now().Add(time.Hour)}); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if made, waiting, err := a.FlushEmails(t.Context()); made != many || waiting != many || err != nil {
		t.Errorf("%d of %d are due: %v", made, waiting, err)
	}
}
