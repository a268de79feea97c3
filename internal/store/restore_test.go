package store_test

import (
	"database/sql"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"portico/internal/account"
	"portico/internal/store"
)

// holds reports whether the database at the path has the account.
func holds(t *testing.T, path, key string) bool {
	t.Helper()
	s, err := store.Open(t.Context(), store.Config{URL: "sqlite:" + path})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	var found bool
	err = s.Read(t.Context(), func(tx *store.Tx) (err error) {
		_, found, err = tx.AccountByKey(t.Context(), key)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return found
}

// with returns the path of a database with one account, closed.
func with(t *testing.T, key string) string {
	t.Helper()
	s := migrated(t)
	err := s.Write(t.Context(), func(tx *store.Tx) error {
		_, err := tx.InsertAccount(t.Context(), account.Account{ID: key, Address: account.Address{Key: key}})
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), key+".db")
	if err := s.Backup(t.Context(), path); err != nil {
		t.Fatal(err)
	}
	return path
}

func nothing(*store.Store) error { return nil }

func TestRestore(t *testing.T) {
	t.Parallel()
	ctx, older, newer := t.Context(), with(t, "older"), with(t, "newer")
	path := filepath.Join(t.TempDir(), "new", "p.db")
	if _, err := store.Restore(ctx, "sqlite:"+path, older, false, nothing); err != nil {
		t.Fatal(err)
	}
	if !holds(t, path, "older") {
		t.Error("the restored account is missing")
	}
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("the restored file has mode %v (%v), want 0600", info.Mode(), err)
	}
	if _, err := store.Restore(ctx, "sqlite:"+path, newer, false, nothing); !errors.Is(err, fs.ErrExist) || !strings.Contains(err.Error(), "--replace") {
		t.Errorf("over a database that is there: %v, want an error that says --replace", err)
	}
	boom := errors.New("boom")
	if _, err := store.Restore(ctx, "sqlite:"+path, newer, true, func(*store.Store) error { return boom }); !errors.Is(err, boom) || !holds(t, path, "older") {
		t.Errorf("a failed restore: %v, and the database that was there is gone or changed", err)
	}
	kept, err := store.Restore(ctx, "sqlite:"+path, newer, true, nothing)
	if err != nil {
		t.Fatal(err)
	}
	if !holds(t, path, "newer") || holds(t, path, "older") || !holds(t, kept, "older") {
		t.Error("the copy is not in place, or the database before is not kept")
	}
	if _, err := store.Restore(ctx, "postgres://x", newer, true, nothing); !errors.Is(err, store.ErrNotRestorable) {
		t.Errorf("to PostgreSQL: %v", err)
	}
}

// A log that stays beside the database would be played into the restored one.
func TestRestore_LogOfTheDatabaseBefore(t *testing.T) {
	t.Parallel()
	live := migrated(t) // not closed, so its writes are in its log
	path := filepath.Join(t.TempDir(), "p.db")
	err := live.Write(t.Context(), func(tx *store.Tx) error {
		_, err := tx.InsertAccount(t.Context(), account.Account{ID: "live", Address: account.Address{Key: "live"}})
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, suffix := range []string{"", "-wal"} {
		data, err := os.ReadFile(live.Path() + suffix)
		if err == nil {
			err = os.WriteFile(path+suffix, data, 0o600)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	kept, err := store.Restore(t.Context(), "sqlite:"+path, with(t, "older"), true, nothing)
	if err != nil {
		t.Fatal(err)
	}
	if !holds(t, path, "older") || holds(t, path, "live") || !holds(t, kept, "live") {
		t.Error("the log of the database before is with the wrong one")
	}
	// A copy that has a log is restored with it.
	if _, err := store.Restore(t.Context(), "sqlite:"+path, kept, true, nothing); err != nil || !holds(t, path, "live") {
		t.Errorf("back to the database before: %v", err)
	}
}

func TestRestore_Refuses(t *testing.T) {
	t.Parallel()
	good := with(t, "good")
	data, err := os.ReadFile(good)
	if err != nil {
		t.Fatal(err)
	}
	damaged := make([]byte, len(data))
	copy(damaged, data)
	for i := 3 * 4096; i < 6*4096; i++ {
		damaged[i] ^= 0xff
	}
	other, err := os.ReadFile(otherDatabase(t))
	if err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		content []byte
		why     string
	}{
		"damaged":       {damaged, "it is damaged: "},
		"cut":           {data[:len(data)/2], "malformed"},
		"no database":   {[]byte(strings.Repeat("no database at all ", 400)), "file is not a database"},
		"empty":         {nil, "not a database of Portico"},
		"somebody else": {other, "not a database of Portico"},
	} {
		file := filepath.Join(t.TempDir(), "copy.db")
		if err := os.WriteFile(file, c.content, 0o600); err != nil {
			t.Fatal(err)
		}
		path := filepath.Join(t.TempDir(), "p.db")
		_, err := store.Restore(t.Context(), "sqlite:"+path, file, false, nothing)
		if err == nil || !strings.Contains(err.Error(), "cannot be restored") || !strings.Contains(err.Error(), c.why) {
			t.Errorf("%s: %v, want %q", name, err, c.why)
		}
		if left, _ := filepath.Glob(filepath.Join(filepath.Dir(path), "*p.db*")); len(left) > 1 {
			t.Errorf("%s: %v are left", name, left)
		}
	}
}

// A planted file runs nothing: a foreign trigger, view, index or column is
// refused before anything is written.
func TestRestore_RefusesForeignSchema(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct{ statement, why string }{
		"trigger": {`CREATE TRIGGER planted AFTER INSERT ON session BEGIN UPDATE account SET roles = '["admin"]'; END`, `its trigger "planted" is not one that Portico makes`},
		"trigger with a name of SQLite": {`PRAGMA writable_schema = 1; INSERT INTO sqlite_schema (type, name, tbl_name, rootpage, sql) VALUES
			('trigger', 'sqlite_stat1', 'session', 0, 'CREATE TRIGGER sqlite_stat1 AFTER INSERT ON session BEGIN UPDATE account SET state = 1; END')`, `its trigger "sqlite_stat1" is not one`},
		"temporary name of a move": {`CREATE TRIGGER on_move AFTER DELETE ON move BEGIN UPDATE account SET state = 1; END`, `its trigger "on_move"`},
		"view":                     {`CREATE VIEW planted AS SELECT * FROM account`, `its view "planted"`},
		"view in place of a table": {`ALTER TABLE outbox RENAME TO real_outbox; CREATE VIEW outbox AS SELECT * FROM real_outbox`, ` is not one that Portico makes`},
		"index":                    {`CREATE INDEX planted ON account (abs(state))`, `its index "planted"`},
		"column":                   {`ALTER TABLE account ADD COLUMN planted TEXT DEFAULT 'x'`, `its table "account"`},
		"control characters":       {"CREATE VIEW \"a\x1b[2Jb\" AS SELECT 1", `its view "a\x1b[2Jb"`},
		"missing index":            {`DROP INDEX session_account`, `it lacks the index`},
	} {
		file := with(t, "planted")
		db, err := sql.Open("sqlite3", "file:"+file)
		if err != nil {
			t.Fatal(err)
		}
		_, err = db.ExecContext(t.Context(), test.statement)
		if err := errors.Join(err, db.Close()); err != nil {
			t.Fatal(name, err)
		}
		path := filepath.Join(t.TempDir(), "p.db")
		_, err = store.Restore(t.Context(), "sqlite:"+path, file, false, nothing)
		if err == nil || !strings.Contains(err.Error(), "cannot be restored: "+test.why) && !strings.Contains(err.Error(), test.why) {
			t.Errorf("%s: %v, want %q", name, err, test.why)
		}
		if left, _ := filepath.Glob(filepath.Join(filepath.Dir(path), "*p.db*")); len(left) > 1 {
			t.Errorf("%s: %v are left", name, left)
		}
	}
}

// A copy of each version of the schema is accepted.
func TestRestore_TakesEveryVersion(t *testing.T) {
	t.Parallel()
	newest := migrated(t)
	list, err := newest.Migrations(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range list {
		file := filepath.Join(t.TempDir(), "copy.db")
		old := open(t, filepath.Join(t.TempDir(), "old.db"))
		if err := errors.Join(old.MigrateTo(t.Context(), m.Version), old.Backup(t.Context(), file)); err != nil {
			t.Fatal(err)
		}
		path := filepath.Join(t.TempDir(), "p.db")
		if _, err := store.Restore(t.Context(), "sqlite:"+path, file, false, nothing); err != nil {
			t.Errorf("schema %d: %v", m.Version, err)
		}
	}
}

// otherDatabase returns the path of a foreign database.
func otherDatabase(t *testing.T) string {
	t.Helper()
	s := open(t, filepath.Join(t.TempDir(), "other.db"))
	path := filepath.Join(t.TempDir(), "copy.db")
	if err := s.Backup(t.Context(), path); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestRestore_InUse(t *testing.T) {
	t.Parallel()
	s := migrated(t)
	claim, err := s.Claim()
	if err != nil {
		t.Fatal(err)
	}
	defer claim.Close()
	if _, err := store.Restore(t.Context(), "sqlite:"+s.Path(), with(t, "x"), true, nothing); !errors.Is(err, store.ErrInUse) {
		t.Errorf("over a database that is served: %v, want engine.ErrInUse", err)
	}
}
