package session_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"portico/internal/session"
	"portico/internal/store"
)

// Follow compares no clocks: it learns of sessions that a process a day ahead
// or behind has ended.
func TestFollow_ClocksDiffer(t *testing.T) {
	t.Parallel()
	for _, ahead := range []time.Duration{-24 * time.Hour, 24 * time.Hour} {
		b := setup(t)
		token, _ := b.start(b.person("a"))
		far := b.newKeeper()
		b.holds(far, token, true, "before")
		b.follow(far)
		b.clock.Advance(ahead) // the clock of the ending process
		b.endAll("a")
		b.clock.Advance(-ahead)
		b.follow(far)
		b.holds(far, token, false, "after")
	}
}

// delayed hides the newest transaction: it committed later than one that began
// after it.
type delayed struct {
	session.Store
	hidden string // the account whose row is not visible yet
}

func (d delayed) Revocations(ctx context.Context) ([]session.Revocation, error) {
	all, err := d.Store.Revocations(ctx)
	var there []session.Revocation
	for _, r := range all {
		if r.AccountID != d.hidden {
			there = append(there, r)
		}
	}
	return there, err
}

// A row that becomes visible after younger ones is not skipped.
func TestFollow_CommittedOutOfOrder(t *testing.T) {
	t.Parallel()
	b := setup(t)
	late, _ := b.start(b.person("late"))
	other, _ := b.start(b.person("other"))
	far := b.newKeeper()
	b.holds(far, late, true, "before")
	b.holds(far, other, true, "before")
	b.endAll("late")
	b.clock.Advance(time.Hour)
	b.endAll("other")
	err := b.store.Read(t.Context(), func(tx *store.Tx) error {
		_, err := far.Follow(t.Context(), delayed{tx, "late"})
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	b.holds(far, other, false, "the one that was there")
	b.follow(far)
	b.holds(far, late, false, "the one that came late")
}

// After Follow has seen an account once, its new sessions stay in memory.
func TestFollow_OnceForEach(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.person("a")
	b.endAll("a")
	b.follow(b.keeper)
	token, _ := b.start("a")
	b.holds(b.keeper, token, true, "signed in again")
	b.reads.Store(0)
	for range 3 {
		b.follow(b.keeper)
		b.holds(b.keeper, token, true, "signed in again")
	}
	if n := b.reads.Load(); n != 0 {
		t.Errorf("the database was read %d times", n)
	}
}

var errAway = errors.New("away")

// away is a database that does not answer.
type away struct{ session.Store }

func (away) Revocations(context.Context) ([]session.Revocation, error) { return nil, errAway }

// SEC-068: without a Follow the cache is valid only for a short time. After
// that every check reads the database.
func TestFollow_Blind(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b := setup(t)
		token, _ := b.start(b.person("a"))
		b.follow(b.keeper)
		b.holds(b.keeper, token, true, "before")
		b.reads.Store(0)
		blind := func(d time.Duration) {
			time.Sleep(d)
			if _, err := b.keeper.Follow(t.Context(), away{}); !errors.Is(err, errAway) {
				t.Errorf("a database that is away: %v", err)
			}
			b.holds(b.keeper, token, true, "while it is away")
		}
		blind(session.Blind)
		if n := b.reads.Load(); n != 0 {
			t.Errorf("within the allowed time the database was read %d times", n)
		}
		blind(time.Second)
		blind(time.Second)
		if n := b.reads.Load(); n != 2 {
			t.Errorf("after it the database was read %d times, want each time", n)
		}
		b.follow(b.keeper)
		b.reads.Store(0)
		b.holds(b.keeper, token, true, "when it is back")
		b.holds(b.keeper, token, true, "when it is back")
		if n := b.reads.Load(); n != 1 {
			t.Errorf("when it is back the database was read %d times, want once", n)
		}
	})
}

// A process that was frozen misses no row that was deleted meanwhile.
func TestFollow_Frozen(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b := setup(t)
		token, _ := b.start(b.person("a"))
		frozen, awake := b.newKeeper(), b.newKeeper()
		b.follow(frozen)
		b.holds(frozen, token, true, "before")
		b.endAll("a")
		for range 60 {
			b.follow(awake)
			b.tidy(awake)
			time.Sleep(10 * time.Second)
		}
		if left := b.revocations(); left != 0 {
			t.Errorf("%d rows are left after 10 minutes", left)
		}
		b.follow(frozen)
		b.holds(frozen, token, false, "after")
	})
}

// A row stays until every process has had time to read it, however old its time
// is.
func TestTidy_KeepsTheYoung(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b := setup(t)
		b.person("a")
		b.clock.Advance(-24 * time.Hour)
		b.endAll("a")
		b.clock.Advance(24 * time.Hour)
		b.follow(b.keeper)
		time.Sleep(2 * session.Blind)
		b.follow(b.keeper)
		b.tidy(b.keeper)
		if left := b.revocations(); left != 1 {
			t.Errorf("%d rows are left, want the one that a process may not have read", left)
		}
	})
}

// A session that was used through another process is not idle, whatever the
// memory of this one says.
func TestCheck_UsedElsewhere(t *testing.T) {
	t.Parallel()
	b := setup(t)
	token, _ := b.start(b.person("a"))
	far := b.newKeeper()
	b.holds(far, token, true, "at the beginning")
	b.clock.Advance(idle - time.Second)
	b.holds(b.keeper, token, true, "just in time")
	b.flush(b.keeper)
	b.clock.Advance(time.Minute)
	b.holds(far, token, true, "used elsewhere a minute ago")
	b.clock.Advance(idle)
	b.holds(far, token, false, "used nowhere")
}

func (b *bundle) endAll(accountID string) {
	b.Helper()
	b.write(func(tx *store.Tx) error {
		return b.keeper.EndAll(b.Context(), tx, accountID, "", session.Elsewhere)
	})
}

func (b *bundle) tidy(k *session.Keeper) {
	b.Helper()
	err := k.Tidy(b.Context(), func(ctx context.Context, fn func(session.Store) error) error {
		return b.store.Write(ctx, func(tx *store.Tx) error { return fn(tx) })
	})
	if err != nil {
		b.Fatal(err)
	}
}

func (b *bundle) revocations() (n int) {
	b.Helper()
	_ = b.store.Read(b.Context(), func(tx *store.Tx) error {
		all, err := tx.Revocations(b.Context())
		n = len(all)
		return err
	})
	return n
}
