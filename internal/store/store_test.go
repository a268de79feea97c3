package store

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/ncruces/go-sqlite3"

	"portico/internal/account"
	"portico/internal/audit"
	"portico/internal/fault"
	"portico/internal/store/sqlite"
)

func open(t *testing.T) *Store {
	t.Helper()
	s, err := Open(t.Context(), Config{URL: "sqlite:" + filepath.Join(t.TempDir(), "p.db")})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	if _, err := s.Migrate(t.Context()); err != nil {
		t.Fatal(err)
	}
	return s
}

func file(s *Store) *sqlite.DB { return s.engine.(*sqlite.DB) }

func person(key string) account.Account {
	return account.Account{ID: "id-" + key, Address: account.Address{Mail: key, Key: key}, State: account.Active, Version: 1, CreatedAt: time.UnixMicro(1)}
}

func insert(ctx context.Context, s *Store, key string) error {
	return s.Write(ctx, func(tx *Tx) error {
		ok, err := tx.InsertAccount(ctx, person(key))
		if err == nil && !ok {
			err = account.Exists
		}
		return err
	})
}

func TestWrite_FailsAlone(t *testing.T) {
	t.Parallel()
	s, ctx := open(t), t.Context()
	boom := errors.New("boom")
	var failed, passed atomic.Int64
	var group sync.WaitGroup
	for i := range 300 {
		group.Go(func() {
			key := string(rune('a'+i%26)) + time.Duration(i).String()
			err := s.Write(ctx, func(tx *Tx) error {
				if _, err := tx.InsertAccount(ctx, person(key)); err != nil {
					return err
				}
				switch i % 3 {
				case 1:
					return boom
				case 2:
					panic("a caller's mistake")
				}
				return nil
			})
			if err != nil {
				failed.Add(1)
			} else {
				passed.Add(1)
			}
		})
	}
	group.Wait()
	var page account.Page
	err := s.Read(ctx, func(tx *Tx) (err error) {
		page, err = tx.People(ctx, account.Query{Limit: account.MostPeople}, time.Time{})
		return err
	})
	kept := page.People
	if err != nil || passed.Load() != 100 || failed.Load() != 200 || len(kept) != 100 {
		t.Errorf("%d passed, %d failed, %d kept (%v); want 100, 200, 100", passed.Load(), failed.Load(), len(kept), err)
	}
}

func TestWrite_CallerThatGaveUp(t *testing.T) {
	t.Parallel()
	s := open(t)
	running, release := make(chan struct{}), make(chan struct{})
	var group sync.WaitGroup
	group.Go(func() {
		_ = s.Write(t.Context(), func(*Tx) error {
			close(running)
			<-release
			return nil
		})
	})
	<-running
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error)
	go func() { done <- insert(ctx, s, "late@x.test") }()
	cancel()
	if err := <-done; !errors.Is(err, fault.New(fault.Unavailable, CodeUnavailable)) {
		t.Errorf("a write that was taken back: %v, want %s", err, CodeUnavailable)
	}
	close(release)
	group.Wait()
	_ = s.Read(t.Context(), func(tx *Tx) error {
		if _, ok, err := tx.AccountByKey(t.Context(), "late@x.test"); ok || err != nil {
			t.Errorf("a write that was taken back happened: %v, %v", ok, err)
		}
		return nil
	})
}

// A write that has begun ends, so that its outcome is known.
func TestWrite_CallerThatGoesAway(t *testing.T) {
	t.Parallel()
	s := open(t)
	ctx, cancel := context.WithCancel(t.Context())
	err := s.Write(ctx, func(tx *Tx) error {
		cancel()
		_, err := tx.InsertAccount(ctx, person("gone@x.test"))
		return err
	})
	_ = s.Read(t.Context(), func(tx *Tx) error {
		if _, ok, rerr := tx.AccountByKey(t.Context(), "gone@x.test"); err != nil || rerr != nil || !ok {
			t.Errorf("the write returned %v, and its account is there: %v, %v", err, ok, rerr)
		}
		return nil
	})
}

func TestWrite_SharesTheCommitOfTheOneThatRuns(t *testing.T) {
	t.Parallel()
	s := open(t)
	before := s.Stats().Commit.Count
	var group sync.WaitGroup
	err := s.Write(t.Context(), func(*Tx) error {
		for range 3 {
			group.Go(func() {
				if err := s.Write(t.Context(), func(*Tx) error { return nil }); err != nil {
					t.Error(err)
				}
			})
		}
		for s.Stats().Queued < 3 {
			time.Sleep(time.Millisecond)
		}
		return nil
	})
	group.Wait()
	if n := s.Stats().Commit.Count - before; err != nil || n != 1 {
		t.Errorf("%d commits (%v), want 1", n, err)
	}
}

// SQLite takes a missing value as NULL, so the mistake would become data.
func TestTx_CountsValues(t *testing.T) {
	t.Parallel()
	s, ctx := open(t), t.Context()
	for name, run := range map[string]func(*Tx) error{
		"one too few": func(tx *Tx) error {
			_, err := tx.exec(ctx, `UPDATE account SET name = $2 WHERE id = $1`, "id")
			return err
		},
		"one too many": func(tx *Tx) error {
			_, _, err := first(ctx, tx, `SELECT id FROM account WHERE id = $1`, []any{"id", "more"}, scanWord)
			return err
		},
		"none for one": func(tx *Tx) error {
			_, err := collect(ctx, tx, `SELECT id FROM account WHERE id = $1 OR name = $1`, nil, scanWord)
			return err
		},
	} {
		for range 2 { // once prepared, once from the cache
			if err := s.Read(ctx, run); err == nil || !strings.Contains(err.Error(), "values") {
				t.Errorf("%s: %v, want an error that counts the values", name, err)
			}
		}
	}
}

func scanWord(row scanner) (string, error) {
	var word string
	err := row.Scan(&word)
	return word, err
}

// The contract cannot read audit records back, because no package does.
func TestInsertFact_EveryField(t *testing.T) {
	t.Parallel()
	s, ctx := open(t), t.Context()
	want := audit.Fact{ID: "1", At: time.UnixMicro(2).UTC(), Name: "3", AccountID: "4", Actor: "5", Peer: "6", UserAgent: "7", RequestID: "8", Detail: "9"}
	if err := s.Write(ctx, func(tx *Tx) error { return tx.InsertFact(ctx, want) }); err != nil {
		t.Fatal(err)
	}
	var got audit.Fact
	var at int64
	row := file(s).Reader().QueryRowContext(ctx, `SELECT id, at, name, account_id, actor, peer, user_agent, request_id, detail FROM audit`)
	err := row.Scan(&got.ID, &at, &got.Name, &got.AccountID, &got.Actor, &got.Peer, &got.UserAgent, &got.RequestID, &got.Detail)
	if got.At = fromMicros(at); err != nil || got != want {
		t.Errorf("the fact is %+v (%v), want %+v", got, err, want)
	}
}

func TestBackup(t *testing.T) {
	t.Parallel()
	s, ctx := open(t), t.Context()
	if err := insert(ctx, s, "v@x.test"); err != nil {
		t.Fatal(err)
	}
	copied := filepath.Join(t.TempDir(), "copy.db")
	if err := s.Backup(ctx, copied); err != nil {
		t.Fatal(err)
	}
	if err := s.Backup(ctx, copied); err == nil {
		t.Error("a backup replaced a file")
	}
	if info, err := os.Stat(copied); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("the backup's mode is %v (%v), want 0600", info.Mode(), err)
	}
	restored, err := Open(ctx, Config{URL: "sqlite:" + copied})
	if err != nil {
		t.Fatal(err)
	}
	defer restored.Close()
	_ = restored.Read(ctx, func(tx *Tx) error {
		if _, ok, err := tx.AccountByKey(ctx, "v@x.test"); !ok || err != nil {
			t.Errorf("the account is not in the backup: %v", err)
		}
		return nil
	})
}

// One of several runs to a name writes it, and the others say so. What a killed run has left goes, and not what another
// run may be writing.
func TestBackup_Overlapping(t *testing.T) {
	t.Parallel()
	s, ctx, folder := open(t), t.Context(), t.TempDir()
	copied, left, written := filepath.Join(folder, "copy.db"), filepath.Join(folder, ".portico-copy-1"), filepath.Join(folder, ".portico-copy-2")
	ago := time.Now().Add(-25 * time.Hour)
	if err := errors.Join(insert(ctx, s, "v@x.test"), os.WriteFile(left, nil, 0o600), os.WriteFile(written, nil, 0o600), os.Chtimes(left, ago, ago)); err != nil {
		t.Fatal(err)
	}
	var done atomic.Int64
	var group sync.WaitGroup
	for range 8 {
		group.Go(func() {
			switch err := s.Backup(ctx, copied); {
			case err == nil:
				done.Add(1)
			case !errors.Is(err, fs.ErrExist):
				t.Error(err)
			}
		})
	}
	group.Wait()
	if done.Load() != 1 {
		t.Errorf("%d runs say that they wrote the backup", done.Load())
	}
	if found, _ := filepath.Glob(filepath.Join(folder, "*")); !slices.Equal(found, []string{written, copied}) {
		t.Errorf("the folder has %v", found)
	}
	restored, err := Open(ctx, Config{URL: "sqlite:" + copied, MustExist: true})
	if err != nil {
		t.Fatal(err)
	}
	defer restored.Close()
	if err := insert(ctx, restored, "v@x.test"); !errors.Is(err, account.Exists) {
		t.Errorf("the account is not in the backup: %v", err)
	}
}

func TestMigrate_NewerSchema(t *testing.T) {
	t.Parallel()
	s := open(t)
	err := s.Write(t.Context(), func(tx *Tx) error {
		_, err := tx.exec(t.Context(), `INSERT INTO schema_version (version_id, is_applied) VALUES (999, 1)`)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.Migrate(t.Context()); !errors.Is(err, ErrSchemaNewer) {
		t.Errorf("migrate on a newer schema: %v, want ErrSchemaNewer", err)
	}
}

// FLT-22: of two processes that serve one file the second refuses.
func TestClaim(t *testing.T) {
	t.Parallel()
	s := open(t)
	claim, err := s.Claim()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.Claim(); !errors.Is(err, ErrInUse) {
		t.Errorf("a second claim: %v, want ErrInUse", err)
	}
	if err := claim.Close(); err != nil {
		t.Fatal(err)
	}
	again, err := s.Claim()
	if err != nil {
		t.Fatalf("after the first has ended: %v", err)
	}
	_ = again.Close()
}

// Errors of the disk are distinguished from errors of a caller's step, and
// counted.
func TestWrite_DiskFails(t *testing.T) {
	t.Parallel()
	s, boom := open(t), errors.New("boom")
	for _, cause := range []error{sqlite3.FULL, sqlite3.IOERR_WRITE, sqlite3.READONLY, boom} {
		err := s.Write(t.Context(), func(*Tx) error { return fmt.Errorf("insert: %w", cause) })
		if got := errors.Is(err, fault.New(fault.Unavailable, CodeUnavailable)); got != (cause != boom) || !errors.Is(err, cause) {
			t.Errorf("%v: %v, which is %s: %v", cause, err, CodeUnavailable, got)
		}
		if why := fmt.Sprint(errors.Unwrap(fault.From(err))); cause == sqlite3.FULL && !strings.Contains(why, "make room on the disk") {
			t.Errorf("an operator reads %q", why)
		}
	}
	if n := s.Stats().Failed; n != 3 {
		t.Errorf("%d writes failed, want 3", n)
	}
}
