package app

import (
	"path/filepath"
	"testing"
	"time"

	"portico/internal/account"
	"portico/internal/audit"
	"portico/internal/clock"
	"portico/internal/store"
)

// The setting audit.keep says when records are deleted.
func TestPurge_KeepsAuditAsSet(t *testing.T) {
	t.Parallel()
	cfg := settings(t, t.TempDir())
	cfg.Audit.Keep = 90 * 24 * time.Hour
	now := clock.NewManual(time.Date(2026, 5, 4, 3, 2, 1, 0, time.UTC))
	a := open(t, cfg, Options{Clock: now, Dist: dist()})
	t.Cleanup(func() { a.end(t) })
	a.create(t, "mara@example.org")
	for _, c := range []struct {
		after time.Duration
		left  int
	}{{89 * 24 * time.Hour, 1}, {33 * 24 * time.Hour, 0}} { // PostgreSQL drops whole months
		now.Advance(c.after)
		if err := a.purge(t.Context()); err != nil {
			t.Fatal(err)
		}
		page, err := a.live.Load().Operator.Record(t.Context(), audit.Query{Names: []audit.Name{audit.AccountCreated}, Limit: 10})
		if err != nil || len(page.Facts) != c.left {
			t.Errorf("%d records are left (%v), want %d", len(page.Facts), err, c.left)
		}
	}
}

// The background work compares all accounts, also more than it compares at a time, and
// begins again a day later. A new process does so at once.
func TestComparePeople_EachDay(t *testing.T) {
	t.Parallel()
	now := clock.NewManual(time.Date(2026, 5, 4, 3, 2, 1, 0, time.UTC))
	folder := t.TempDir()
	cfg := settings(t, folder)
	cfg.DatabaseURL = "sqlite:" + filepath.Join(folder, "portico.db") // the times of work are the same on both, and so many accounts are not
	a := open(t, cfg, Options{Clock: now, Dist: dist()})
	t.Cleanup(func() { a.end(t) })
	a.create(t, "mara@example.org")
	compare := func() {
		t.Helper()
		if err := a.comparePeople(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	compare()
	if want := now.Now().Add(compareEvery); a.compared.last != "" || !a.compared.next.Equal(want) {
		t.Errorf("after a small table: %+v, want to begin again at %v", a.compared, want)
	}
	const many = comparedAtOnce*comparedEachTime + 1
	const inOne = 100 // a step has a time limit, which a slow machine must keep
	for from := 0; from < many; from += inOne {
		if err := a.Store.Write(t.Context(), func(tx *store.Tx) error {
			for n := from; n < min(from+inOne, many); n++ {
				id := time.Duration(n).String()
				if _, err := tx.InsertAccount(t.Context(), account.Account{ID: id, Address: account.Address{Key: id}}); err != nil {
					return err
				}
			}
			return nil
		}); err != nil {
			t.Fatal(err)
		}
	}
	compare()
	if a.compared.last != "" {
		t.Error("it began again on the same day")
	}
	now.Advance(compareEvery)
	compare()
	if a.compared.last == "" {
		t.Error("it compared a large table at once")
	}
	compare()
	if a.compared.last != "" {
		t.Error("it did not come to the end")
	}
	a.compared = comparison{}
	compare()
	if a.compared.next.IsZero() {
		t.Error("a new process left some accounts for later")
	}
}
