package store_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"portico/internal/store"
)

// Only a missing file is reported as missing. Without permission to look, the
// error says so, and does not suggest a new database.
func TestOpen_MayNotLook(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "file"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]string{"none.db": "there is no database at", "file/portico.db": "not a directory: run this as root or as the user of the server"} {
		db, err := store.Open(t.Context(), store.Config{URL: "sqlite:" + filepath.Join(dir, path), MustExist: true})
		if err == nil {
			_ = db.Close()
		}
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", path, err, want)
		}
	}
}

// A folder of somebody else is named, with the user that needs it.
func TestOpen_MayNotWrite(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if err := os.Chmod(dir, 0o500); err != nil {
		t.Fatal(err)
	}
	db, err := store.Open(t.Context(), store.Config{URL: "sqlite:" + filepath.Join(dir, "portico.db")})
	if err == nil {
		_ = db.Close()
		t.Skip("root may write everywhere")
	}
	if want := "run this as root or as the user of the server, or give the folder " + dir + " and its files to user "; !strings.Contains(err.Error(), want) {
		t.Errorf("%v, want %s", err, want)
	}
}
