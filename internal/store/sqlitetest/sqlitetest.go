package sqlitetest

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"portico/internal/store"
)

// Open returns a store without rows, which is closed at the end of the test.
func Open(t testing.TB) *store.Store {
	t.Helper()
	return OpenAt(t, filepath.Join(t.TempDir(), "p.db"))
}

// OpenAt is Open for a database at the path, which may exist.
func OpenAt(t testing.TB, path string) *store.Store {
	t.Helper()
	if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
		Write(t, path)
	}
	s, err := store.Open(t.Context(), store.Config{URL: "sqlite:" + path})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	return s
}

// Write writes a database without rows to the path, and the lock file that a migration
// leaves next to it.
func Write(t testing.TB, path string) {
	t.Helper()
	content, err := template()
	if err != nil {
		t.Fatalf("make the template of the test databases: %v", err)
	}
	if err := errors.Join(os.WriteFile(path, content, 0o600), os.WriteFile(path+".lock", nil, 0o600)); err != nil {
		t.Fatal(err)
	}
}

// template is a database to copy, which is much faster than a migration.
var template = sync.OnceValues(func() (content []byte, err error) {
	folder, err := os.MkdirTemp("", "portico-template-")
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(folder)) }()
	path := filepath.Join(folder, "p.db")
	s, err := store.Open(context.Background(), store.Config{URL: "sqlite:" + path})
	if err != nil {
		return nil, err
	}
	_, err = s.Migrate(context.Background())
	if err = errors.Join(err, s.Close()); err != nil {
		return nil, err
	}
	return os.ReadFile(path)
})
