package sqlitetest

import (
	"path/filepath"
	"testing"

	"portico/internal/store"
)

// Open returns a store without rows, which is closed at the end of the test.
func Open(t testing.TB) *store.Store {
	t.Helper()
	return OpenAt(t, filepath.Join(t.TempDir(), "p.db"))
}

// OpenAt is Open for a database at the path, which may be there.
func OpenAt(t testing.TB, path string) *store.Store {
	t.Helper()
	s, err := store.Open(t.Context(), store.Config{URL: "sqlite:" + path})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	if _, err := s.Migrate(t.Context()); err != nil {
		t.Fatal(err)
	}
	return s
}
