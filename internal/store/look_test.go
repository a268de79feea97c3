package store

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
)

// entries returns the files of a folder with their content.
func entries(t *testing.T, folder string) map[string]string {
	t.Helper()
	all := map[string]string{}
	found, err := os.ReadDir(folder)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range found {
		data, err := os.ReadFile(filepath.Join(folder, e.Name()))
		if err != nil {
			t.Fatal(err)
		}
		all[e.Name()] = string(data)
	}
	return all
}

// Look neither creates nor changes a file, whether or not a server is running.
func TestLook_ChangesNothing(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	path := filepath.Join(folder, "p.db")
	if _, err := Look(t.Context(), "sqlite:"+path); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("no file: %v", err)
	}
	look := func(when string, people bool) {
		t.Helper()
		before := entries(t, folder)
		s, err := Look(t.Context(), "sqlite:"+path)
		if err != nil {
			t.Fatalf("%s: %v", when, err)
		}
		f, err := s.Facts(t.Context())
		if err != nil || f.Engine != "SQLite" || f.Version == "" || f.Schema != f.Newest || f.Schema == 0 {
			t.Errorf("%s: %+v, %v", when, f, err)
		}
		err = s.Read(t.Context(), func(tx *Tx) error {
			_, found, err := tx.AccountByKey(t.Context(), "mara")
			if found != people {
				t.Errorf("%s: sees a person: %v", when, found)
			}
			return err
		})
		if err != nil {
			t.Errorf("%s: %v", when, err)
		}
		if err := insert(t.Context(), s, "nobody"); !errors.Is(err, errLook) {
			t.Errorf("%s: a write gives %v", when, err)
		}
		if _, err := s.Migrate(t.Context()); err == nil {
			t.Errorf("%s: it migrates", when)
		}
		if err := s.Close(); err != nil {
			t.Error(err)
		}
		after := entries(t, folder)
		if len(after) != len(before) || after["p.db"] != before["p.db"] || after["p.db-wal"] != before["p.db-wal"] {
			t.Errorf("%s: the files have changed", when)
		}
	}
	s, err := Open(t.Context(), Config{URL: "sqlite:" + path})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.Migrate(t.Context()); err != nil {
		t.Fatal(err)
	}
	look("served", false)
	if err := insert(t.Context(), s, "mara"); err != nil {
		t.Fatal(err)
	}
	look("served, with a new person", true)
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	look("closed", true)
	if err := os.WriteFile(filepath.Join(folder, "empty.db"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	empty, err := Look(t.Context(), "sqlite:"+filepath.Join(folder, "empty.db"))
	if err != nil {
		t.Fatal(err)
	}
	defer empty.Close()
	if f, err := empty.Facts(t.Context()); err != nil || f.Schema != 0 {
		t.Errorf("an empty file: %+v, %v", f, err)
	}
}
