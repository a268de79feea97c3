package store_test

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"portico/internal/store"
	"portico/internal/store/sqlitetest"
)

// The error of a damaged file names the file and the way to continue.
func TestDamagedDatabase(t *testing.T) {
	t.Parallel()
	copied := filepath.Join(t.TempDir(), "whole.db")
	sqlitetest.Write(t, copied)
	whole, err := os.ReadFile(copied)
	if err != nil {
		t.Fatal(err)
	}
	for name, damage := range map[string]func([]byte) []byte{
		"no database":        func([]byte) []byte { return bytes.Repeat([]byte("not a database\n"), 1000) },
		"its head is gone":   func(b []byte) []byte { return append(bytes.Repeat([]byte{0xff}, 100), b[100:]...) },
		"its schema is gone": func(b []byte) []byte { return append(b[:100:100], bytes.Repeat([]byte{0xff}, len(b)-100)...) },
		"cut short":          func(b []byte) []byte { return b[:len(b)/3] },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			path := filepath.Join(t.TempDir(), "p.db")
			if err := os.WriteFile(path, damage(whole), 0o600); err != nil {
				t.Fatal(err)
			}
			s, err := store.Open(t.Context(), store.Config{URL: "sqlite:" + path})
			if err == nil {
				defer s.Close()
				_, err = s.Migrate(t.Context())
			}
			if err == nil {
				t.Fatal("it was opened and migrated")
			}
			for _, want := range []string{path, "is damaged", "portico backup"} {
				if !strings.Contains(err.Error(), want) {
					t.Errorf("%v: want %q in it", err, want)
				}
			}
		})
	}
}
