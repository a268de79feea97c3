package store_test

import (
	"errors"
	"path/filepath"
	"strings"
	"testing"

	"portico/internal/store"
	"portico/internal/store/pgtest"
)

// A database that was made before 0.1.0 is refused with what to do, and stays as it is.
func TestUnreleased(t *testing.T) {
	t.Parallel()
	t.Run("SQLite", func(t *testing.T) {
		t.Parallel()
		s := migrated(t)
		file := "file:" + s.Path() + "?_pragma=busy_timeout(5000)"
		refusesUnreleased(t, s, "sqlite3", file, "sqlite_schema WHERE name", "delete "+s.Path())
		path := filepath.Join(t.TempDir(), "p.db")
		_, err := store.Restore(t.Context(), "sqlite:"+path, s.Path(), false, nothing)
		if !errors.Is(err, store.ErrUnreleased) || strings.Contains(err.Error(), "delete") {
			t.Errorf("restore: %v", err)
		}
	})
	t.Run("Postgres", func(t *testing.T) {
		t.Parallel()
		url := pgtest.Migrated(t)
		refusesUnreleased(t, openPostgres(t, url), "pgx", url, "pg_tables WHERE tablename", "CREATE DATABASE")
	})
}

func refusesUnreleased(t *testing.T, s *store.Store, driver, url, tables, advice string) {
	t.Helper()
	db := connect(t, driver, url)
	if _, err := db.Exec(`ALTER TABLE schema_version RENAME TO goose_db_version`); err != nil {
		t.Fatal(err)
	}
	_, migrated := s.Migrate(t.Context())
	_, purpose := s.Purpose(t.Context())
	_, listed := s.Migrations(t.Context())
	facts, err := s.Facts(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for what, err := range map[string]error{"Migrate": migrated, "Purpose": purpose, "Migrations": listed, "Bears": s.Bears(facts), "MigrateCopy": s.MigrateCopy(t.Context())} {
		if !errors.Is(err, store.ErrUnreleased) || !strings.Contains(err.Error(), advice) {
			t.Errorf("%s: %v, want %q", what, err, advice)
		}
	}
	made := 0
	if err := db.QueryRow(`SELECT COUNT(*) FROM ` + tables + ` = 'schema_version'`).Scan(&made); err != nil || made != 0 {
		t.Errorf("it made its table in the database (%v)", err)
	}
}
