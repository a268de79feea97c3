package store_test

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"portico/internal/account"
	"portico/internal/budget"
	"portico/internal/fault"
	"portico/internal/store"
	"portico/internal/store/pgtest"
	"portico/internal/store/storetest"
	"portico/internal/testform"
)

// away is the fault of a database that does not answer.
var away = fault.New(fault.Unavailable, store.CodeUnavailable)

// shared is a database with a store behind a proxy, and a URL past the proxy.
type shared struct {
	*testing.T
	store *store.Store
	proxy *pgtest.Proxy
	url   string
}

func newShared(t *testing.T, settings ...string) *shared {
	t.Helper()
	s := &shared{T: t, url: pgtest.Plain(pgtest.Migrated(t))}
	s.proxy = pgtest.NewProxy(t, s.url)
	u, err := url.Parse(s.proxy.URL())
	if err != nil {
		t.Fatal(err)
	}
	q := u.Query()
	for i := 0; i < len(settings); i += 2 {
		q.Set(settings[i], settings[i+1])
	}
	u.RawQuery = q.Encode()
	s.store = openPostgres(t, u.String())
	return s
}

// note adds a row that could be added any number of times.
func (s *shared) note() error {
	return s.store.Write(s.Context(), func(tx *store.Tx) error {
		return tx.InsertRevocation(s.Context(), "a", time.UnixMicro(1))
	})
}

func (s *shared) add(id string) error {
	return s.store.Write(s.Context(), func(tx *store.Tx) error {
		_, err := tx.InsertAccount(s.Context(), account.Account{ID: id, Address: account.Address{Key: id}})
		return err
	})
}

func (s *shared) find(id string) (found bool, err error) {
	err = s.store.Read(s.Context(), func(tx *store.Tx) (err error) {
		_, found, err = tx.AccountByID(s.Context(), id)
		return err
	})
	return found, err
}

// past returns a connection that does not go through the proxy.
func (s *shared) past() *pgx.Conn {
	s.Helper()
	conn, err := pgx.Connect(s.Context(), s.url)
	if err != nil {
		s.Fatal(err)
	}
	s.Cleanup(func() { _ = conn.Close(context.Background()) })
	return conn
}

func (s *shared) count(query string) (n int) {
	s.Helper()
	if err := s.past().QueryRow(s.Context(), query).Scan(&n); err != nil {
		s.Fatal(err)
	}
	return n
}

// refusedInTime expects the fault of an unavailable database within two
// seconds.
func (s *shared) refusedInTime(what string, do func() error) {
	s.Helper()
	began := time.Now()
	err := do()
	if took := time.Since(began); !errors.Is(err, away) || fault.From(err).RetryAfter == 0 || took > testform.Limit(2*time.Second) {
		s.Errorf("%s: %v after %v, want %s with a time to try again, in time", what, err, took, store.CodeUnavailable)
	}
}

func (s *shared) allRefusedInTime(what string) {
	s.Helper()
	s.refusedInTime(what+", a write", func() error { return s.add("late") })
	s.refusedInTime(what+", a read", func() error { _, err := s.find("a"); return err })
}

// back expects that the store works again within five seconds.
func (s *shared) back() {
	s.Helper()
	began := time.Now()
	for {
		err := s.note()
		if err == nil {
			break
		}
		if time.Since(began) > testform.Limit(5*time.Second) {
			s.Fatalf("it still fails: %v", err)
		}
		time.Sleep(50 * time.Millisecond)
	}
}

// FLT-06: a commit whose answer is lost is carried out exactly once.
func TestWrite_CommitUnderDoubt(t *testing.T) {
	t.Parallel()
	for name, cut := range map[string]pgtest.Cut{
		"the answer is lost":   {Text: "COMMIT", Reached: true},
		"the question is lost": {Text: "COMMIT"},
		"the question is late": {Text: "COMMIT", Late: make(chan struct{})},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newShared(t)
			if err := s.add("before"); err != nil { // leaves its own key
				t.Fatal(err)
			}
			s.proxy.Cut(cut)
			if err := s.note(); err != nil {
				t.Errorf("the write was given up: %v", err)
			}
			if cut.Late != nil {
				close(cut.Late)
			}
			if err := s.note(); err != nil {
				t.Error(err)
			}
			s.quiet()
			if n := s.count(`SELECT COUNT(*) FROM revocation`); n != 2 {
				t.Errorf("two writes have left %d rows", n)
			}
		})
	}
}

// quiet waits until no transaction is open.
func (s *shared) quiet() {
	s.Helper()
	conn := s.past()
	for deadline := time.Now().Add(testform.Patience); ; {
		var n int
		err := conn.QueryRow(s.Context(), `SELECT COUNT(*) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid() AND state <> 'idle'`).Scan(&n)
		switch {
		case err != nil || time.Now().After(deadline):
			s.Fatalf("%d are still busy (%v)", n, err)
		case n == 0:
			return
		}
	}
}

// Two conflicting transactions are both carried out. On a busy machine, they may meet
// again more often than the usual time allows.
func TestWrite_Repeated(t *testing.T) {
	t.Parallel()
	s := newShared(t, "answer_within", "20s")
	for _, id := range []string{"a", "b"} {
		if err := s.add(id); err != nil {
			t.Fatal(err)
		}
	}
	var met sync.WaitGroup
	met.Add(2)
	var runs atomic.Int64
	cross := func(first, second string) error {
		once := sync.OnceFunc(func() { met.Done(); met.Wait() })
		return s.store.Write(t.Context(), func(tx *store.Tx) error {
			runs.Add(1)
			if err := tx.UpdatePassword(t.Context(), first, "new"); err != nil {
				return err
			}
			once()
			return tx.UpdatePassword(t.Context(), second, "new")
		})
	}
	var group sync.WaitGroup
	for _, pair := range [][2]string{{"a", "b"}, {"b", "a"}} {
		group.Go(func() {
			if err := cross(pair[0], pair[1]); err != nil {
				t.Error(err)
			}
		})
	}
	group.Wait()
	if n := s.count(`SELECT SUM(version) FROM account`); n != 4 || runs.Load() < 3 {
		t.Errorf("the versions add up to %d after %d runs, want 4 after 3: no deadlock, or a step lost or done twice", n, runs.Load())
	}
}

// A transaction that the server ends before the commit is repeated on another
// connection.
func TestWrite_BackendEnded(t *testing.T) {
	t.Parallel()
	s := newShared(t)
	past := s.past()
	runs := 0
	err := s.store.Write(t.Context(), func(tx *store.Tx) error {
		if runs++; runs == 1 {
			_, err := past.Exec(t.Context(), `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()`)
			if err != nil {
				return err
			}
		}
		return tx.InsertRevocation(t.Context(), "a", time.UnixMicro(1))
	})
	if n := s.count(`SELECT COUNT(*) FROM revocation`); err != nil || n != 1 || runs != 2 {
		t.Errorf("%d rows after %d runs (%v), want 1 after 2", n, runs, err)
	}
}

// The same of a read, on each connection.
func TestRead_BackendEnded(t *testing.T) {
	t.Parallel()
	s := newShared(t, "pool_max_conns", "2")
	if err := s.add("a"); err != nil {
		t.Fatal(err)
	}
	past := s.past()
	for range 5 {
		_, err := past.Exec(t.Context(), `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()`)
		if err != nil {
			t.Fatal(err)
		}
		if found, err := s.find("a"); err != nil || !found {
			t.Errorf("found %v (%v)", found, err)
		}
	}
}

// The keys of commits do not accumulate, and a store that closes deletes its
// own.
func TestWrite_KeysAreFew(t *testing.T) {
	t.Parallel()
	s := newShared(t)
	var group sync.WaitGroup
	for range 100 {
		group.Go(func() { _ = s.note() })
	}
	group.Wait()
	if n := s.count(`SELECT COUNT(*) FROM commit_key`); n < 1 || n > s.proxy.Begun() {
		t.Errorf("%d keys for %d connections", n, s.proxy.Begun())
	}
	if err := s.store.Close(); err != nil {
		t.Fatal(err)
	}
	if n := s.count(`SELECT COUNT(*) FROM commit_key`); n != 0 {
		t.Errorf("%d keys are left", n)
	}
}

// Those of connections that broke go once they are old.
func TestPurge_KeysOfBrokenConnections(t *testing.T) {
	t.Parallel()
	s := newShared(t, "pool_max_conns", "2")
	past := s.past()
	for range 2 {
		if err := s.note(); err != nil {
			t.Fatal(err)
		}
		_, err := past.Exec(t.Context(), `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()`)
		if err != nil {
			t.Fatal(err)
		}
	}
	for _, test := range []struct {
		later time.Duration
		left  int
	}{{0, 3}, {25 * time.Hour, 1}} { // with its own
		err := s.store.Write(t.Context(), func(tx *store.Tx) error {
			_, err := storetest.Purge(t.Context(), tx, time.Now().Add(test.later), time.Time{})
			return err
		})
		if n := s.count(`SELECT COUNT(*) FROM commit_key`); n != test.left || err != nil {
			t.Errorf("%d keys are left after %v, want %d (%v)", n, test.later, test.left, err)
		}
	}
}

// FLT-06: a caller who waits for a lock is refused in time, and costs no
// connection.
func TestStore_TableLocked(t *testing.T) {
	t.Parallel()
	s := newShared(t)
	if err := s.add("a"); err != nil {
		t.Fatal(err)
	}
	past := s.past()
	if _, err := past.Exec(t.Context(), `BEGIN; LOCK TABLE account`); err != nil {
		t.Fatal(err)
	}
	s.allRefusedInTime("a locked table")
	if _, err := past.Exec(t.Context(), `COMMIT`); err != nil {
		t.Fatal(err)
	}
	if found, err := s.find("a"); err != nil || !found {
		t.Errorf("afterwards: %v, %v", found, err)
	}
	if found, _ := s.find("late"); found {
		t.Error("a refused step was carried out")
	}
	if n := s.proxy.Begun(); n > 10 { // each cancellation takes another connection
		t.Errorf("%d connections were begun", n)
	}
}

func TestOpen_Patience(t *testing.T) {
	t.Parallel()
	const patience = 3 * time.Second // more than without the setting
	s := newShared(t, "answer_within", patience.String())
	past := s.past()
	if _, err := past.Exec(t.Context(), `BEGIN; LOCK TABLE account`); err != nil {
		t.Fatal(err)
	}
	began := time.Now()
	if err := s.add("a"); !errors.Is(err, away) || time.Since(began) < patience {
		t.Errorf("a write is refused with %v after %v, want %v", err, time.Since(began), patience)
	}
	for _, wrong := range []string{"1", "-1s", "soon"} {
		if other, err := store.Open(t.Context(), store.Config{URL: s.url + "&answer_within=" + wrong}); err == nil {
			_ = other.Close()
			t.Errorf("answer_within=%s was taken", wrong)
		}
	}
}

// Earlier, a request of several steps could wait once for each step.
func TestStore_StepsOfARequestTogether(t *testing.T) {
	t.Parallel()
	s := newShared(t, "answer_within", "2s")
	if _, err := s.past().Exec(t.Context(), `BEGIN; LOCK TABLE account`); err != nil {
		t.Fatal(err)
	}
	request := context.WithValue(t.Context(), budget.Key{}, new(budget.Budget))
	var waits []time.Duration
	for range 2 {
		began := time.Now()
		err := s.store.Write(request, func(tx *store.Tx) error {
			_, err := tx.InsertAccount(request, account.Account{ID: "a", Address: account.Address{Key: "a"}})
			return err
		})
		if !errors.Is(err, away) {
			t.Errorf("a write: %v", err)
		}
		waits = append(waits, time.Since(began))
	}
	if waits[1] > waits[0]/2 {
		t.Errorf("two steps of one request waited %v, want nothing left for the second", waits)
	}
}

// FLT-06: while all connections are busy, other callers wait for a short time
// only.
func TestStore_NoConnectionLeft(t *testing.T) {
	t.Parallel()
	s := newShared(t, "pool_max_conns", "2")
	holding, release := make(chan struct{}, 2), make(chan struct{})
	var group sync.WaitGroup
	for range 2 {
		group.Go(func() {
			_ = s.store.Write(t.Context(), func(*store.Tx) error { holding <- struct{}{}; <-release; return nil })
		})
	}
	<-holding
	<-holding
	s.allRefusedInTime("no connection left")
	s.refusedInTime("no connection left, a ping", func() error { return s.store.Ping(t.Context()) })
	close(release)
	group.Wait()
	s.back()
}

// FLT-05: a database that is away, hangs or is slow is reported in time. It
// gets no flood of connections, and is used again as soon as it is back.
func TestStore_DatabaseAway(t *testing.T) {
	t.Parallel()
	const connections, span = 4, 3 * time.Second
	for name, mode := range map[string]pgtest.Mode{"refusing": pgtest.Refusing, "hanging": pgtest.Hanging, "slow": pgtest.Slow} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newShared(t, "pool_max_conns", fmt.Sprint(connections))
			if err := s.add("a"); err != nil {
				t.Fatal(err)
			}
			s.proxy.Be(mode)
			s.allRefusedInTime(name)
			before := s.proxy.Begun()
			var group sync.WaitGroup
			for range 10 {
				group.Go(func() {
					for began := time.Now(); time.Since(began) < span; {
						s.refusedInTime(name, func() error { _, err := s.find("a"); return err })
						time.Sleep(10 * time.Millisecond)
					}
				})
			}
			group.Wait()
			// Each hanging statement is canceled once, over another connection.
			if n := s.proxy.Begun() - before; n > 2*connections+int(span/time.Second)+3 {
				t.Errorf("%d connections were begun in %v", n, span)
			}
			s.proxy.Be(pgtest.Passing)
			s.back()
		})
	}
}

// A caller that goes away costs no connection.
func TestStore_CallerThatGoesAway(t *testing.T) {
	t.Parallel()
	s := newShared(t, "pool_max_conns", "2")
	if err := s.add("a"); err != nil {
		t.Fatal(err)
	}
	begun := s.proxy.Begun()
	for range 20 {
		ctx, cancel := context.WithCancel(t.Context())
		err := s.store.Write(ctx, func(tx *store.Tx) error {
			cancel()
			return tx.InsertRevocation(ctx, "a", time.UnixMicro(1))
		})
		if err != nil {
			t.Errorf("a step that was begun: %v", err)
		}
		if err := s.store.Write(ctx, func(*store.Tx) error { return nil }); !errors.Is(err, away) {
			t.Errorf("a step without a waiting caller: %v", err)
		}
	}
	if n := s.proxy.Begun() - begun; n > 1 {
		t.Errorf("%d connections were made again", n)
	}
}

// FLT-12: of several nodes that start together one migrates, and the others
// wait for it.
func TestMigrate_FourNodes(t *testing.T) {
	t.Parallel()
	url := pgtest.Empty(t)
	var applied atomic.Int64
	var group sync.WaitGroup
	for range 4 {
		group.Go(func() {
			s, err := store.Open(t.Context(), store.Config{URL: url})
			if err != nil {
				t.Error(err)
				return
			}
			defer s.Close()
			files, err := s.Migrate(t.Context())
			if err != nil {
				t.Errorf("one of four: %v", err)
			}
			applied.Add(int64(len(files)))
			all, err := s.Migrations(t.Context())
			if err != nil || int64(len(all)) == 0 || !all[len(all)-1].Applied {
				t.Errorf("after it: %+v (%v)", all, err)
			}
		})
	}
	group.Wait()
	s := openPostgres(t, url)
	if all, _ := s.Migrations(t.Context()); int64(len(all)) != applied.Load() {
		t.Errorf("%d migrations were applied %d times", len(all), applied.Load())
	}
}

func TestOpen_Postgres(t *testing.T) {
	t.Parallel()
	url := pgtest.Empty(t)
	if s, err := store.Open(t.Context(), store.Config{URL: url, MustExist: true}); err == nil {
		_ = s.Close()
		t.Error("an empty database was taken for one with a Portico")
	}
	s := openPostgres(t, url)
	if err := s.Backup(t.Context(), "copy"); !errors.Is(err, store.ErrNoBackup) {
		t.Errorf("backup: %v", err)
	}
	for range 2 { // any number of nodes
		claim, err := s.Claim()
		if err != nil {
			t.Fatal(err)
		}
		defer claim.Close()
	}
	if _, err := s.Migrate(t.Context()); err != nil {
		t.Fatal(err)
	}
	existing, err := store.Open(t.Context(), store.Config{URL: url, MustExist: true})
	if err != nil {
		t.Fatal(err)
	}
	_ = existing.Close()
}
