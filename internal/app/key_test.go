package app

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"portico/internal/config"
	"portico/internal/secret"
	"portico/internal/store"
)

// refused expects that New fails, and that the error names the key file and
// says what to do.
func refused(t *testing.T, cfg config.Config, reason string) {
	t.Helper()
	a, err := New(t.Context(), cfg, Options{})
	if err == nil {
		a.end(t)
		t.Fatal("the key was taken")
	}
	if !strings.Contains(err.Error(), reason) || !strings.Contains(err.Error(), cfg.SecretFile) {
		t.Errorf("the error is %v, want one with %q and the path", err, reason)
	}
}

func TestNew_KeyOfTheFirstStart(t *testing.T) {
	t.Parallel()
	cfg := settings(t, t.TempDir())
	open(t, cfg, Options{}).end(t)
	first, err := os.ReadFile(cfg.SecretFile)
	if err != nil {
		t.Fatal(err)
	}
	open(t, cfg, Options{}).end(t)
	if second, err := os.ReadFile(cfg.SecretFile); err != nil || string(second) != string(first) {
		t.Errorf("the second start has another key (%v)", err)
	}
}

func TestNew_WrongKey(t *testing.T) {
	t.Parallel()
	cfg := settings(t, t.TempDir())
	open(t, cfg, Options{}).end(t)
	cfg.SecretFile = filepath.Join(t.TempDir(), "other.key")
	if _, err := secret.CreateKey(cfg.SecretFile); err != nil {
		t.Fatal(err)
	}
	refused(t, cfg, "is not the one that this database was made with")
}

func TestNew_MissingKey(t *testing.T) {
	t.Parallel()
	cfg := settings(t, t.TempDir())
	needSQLite(t, cfg)
	open(t, cfg, Options{}).end(t)
	if err := os.Remove(cfg.SecretFile); err != nil {
		t.Fatal(err)
	}
	refused(t, cfg, "restore the key from your backup")
	if _, err := os.Stat(cfg.SecretFile); !os.IsNotExist(err) {
		t.Errorf("a key was made beside data of another one (%v)", err)
	}
}

func TestNew_UnsafeKey(t *testing.T) {
	t.Parallel()
	cfg := settings(t, t.TempDir())
	open(t, cfg, Options{}).end(t)
	if err := os.Chmod(cfg.SecretFile, 0o644); err != nil {
		t.Fatal(err)
	}
	refused(t, cfg, "chmod 600")
}

// 'portico migrate' and 'portico backup' work without a key. The database that
// they leave behind may still get a new key.
func TestNew_AfterMigrateAlone(t *testing.T) {
	t.Parallel()
	cfg := settings(t, t.TempDir())
	s, err := store.Open(t.Context(), store.Config{URL: cfg.DatabaseURL})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.Migrate(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	open(t, cfg, Options{}).end(t)
}

// A row that could not be written at the start or at a reload is written later: a change of the key waits for it.
func TestFollowKey_Registers(t *testing.T) {
	t.Parallel()
	cfg := settings(t, t.TempDir())
	needSQLite(t, cfg) // elsewhere the row is written with each beat
	a := open(t, cfg, Options{})
	defer a.end(t)
	for _, when := range []string{"the start", "a reload"} {
		if err := a.followKey(t.Context()); err != nil {
			t.Fatal(err)
		}
		if rows, err := a.nodeRows(t.Context()); err != nil || len(rows) != 1 || !slices.Equal(rows[0].Keys.IDs, a.key.IDs()) {
			t.Errorf("after %s: the keys are %v, and the rows %+v (%v)", when, a.key.IDs(), rows, err)
		}
		a.key.Replace(a.key.With(secret.NewKey()))
	}
}

// A server and a command may both be the first start.
func TestNew_FourAtOnce(t *testing.T) {
	t.Parallel()
	cfg := settings(t, t.TempDir())
	var group sync.WaitGroup
	for range 4 {
		group.Go(func() {
			a, err := New(t.Context(), cfg, Options{})
			if err != nil {
				t.Error(err)
				return
			}
			a.end(t)
		})
	}
	group.Wait()
}
