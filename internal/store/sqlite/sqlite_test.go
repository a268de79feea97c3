package sqlite

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"portico/internal/store/engine"
)

// open returns a database with the one table that every write reads.
func open(t *testing.T) *DB {
	t.Helper()
	s, err := Open(t.Context(), filepath.Join(t.TempDir(), "p.db"), false)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	if _, err := s.writer.ExecContext(t.Context(), `CREATE TABLE move (id INTEGER PRIMARY KEY, state TEXT)`); err != nil {
		t.Fatal(err)
	}
	return s
}

func TestOpen_SettingsAndModes(t *testing.T) {
	t.Parallel()
	s := open(t)
	for name, want := range map[string]string{"synchronous": "2", "journal_mode": "wal", "foreign_keys": "1"} {
		var got string
		if err := s.writer.QueryRowContext(t.Context(), "PRAGMA "+name).Scan(&got); err != nil || got != want {
			t.Errorf("PRAGMA %s of the writer is %s (%v), want %s", name, got, err, want)
		}
	}
	if _, err := s.Reader().ExecContext(t.Context(), "DELETE FROM move"); err == nil {
		t.Error("a reader could write")
	}
	for _, path := range []string{s.path, s.path + "-wal", s.path + "-shm"} {
		info, err := os.Stat(path)
		if err != nil || info.Mode().Perm() != 0o600 {
			t.Errorf("%s: mode %v (%v), want 0600", filepath.Base(path), info.Mode(), err)
		}
	}
}

// A database that cannot store says so until it can, and nobody else has to write.
func TestPing_TakesWrites(t *testing.T) {
	t.Parallel()
	s, ctx := open(t), t.Context()
	is := func(when string, want error) {
		t.Helper()
		if err := s.Ping(ctx); !errors.Is(err, want) {
			t.Errorf("%s: %v, want %v", when, err, want)
		}
	}
	full := func(on string) {
		t.Helper()
		if _, err := s.writer.ExecContext(ctx, "PRAGMA query_only = "+on); err != nil {
			t.Fatal(err)
		}
	}
	is("at first", nil)
	full("1")
	if err := s.Write(ctx, func(*engine.Tx) error { return nil }); err == nil {
		t.Fatal("a write was stored")
	}
	is("after a write that failed", engine.ErrReadOnly)
	is("asked again", engine.ErrReadOnly)
	full("0")
	is("with room again", nil)
}
