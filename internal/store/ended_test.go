package store_test

import (
	"database/sql"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"portico/internal/store"
	"portico/internal/store/pgtest"
	"portico/internal/store/sqlitetest"
	"portico/internal/store/storetest"
)

const (
	ofAccount = "it goes with its account"
	ofNode    = "there is one for each node or each task"
)

// stays are the tables of which no purge deletes a row whose times have all passed, with the
// reason. A table that a migration adds is purged, or belongs here.
var stays = map[string]string{
	"account":                  "its user or the operator deletes it",
	"account_end":              "flow.Operator.CloseEnded closes the account",
	"departure":                "flow.Operator.EraseDue erases the account",
	"former_master_key":        "the operator removes it when no password needs it",
	"audit_chain":              "there is one row",
	"audit_seal":               "audit.Sealer.Release deletes it with its records",
	"installation":             "there is one row",
	"move":                     "there is one row",
	"openid_watch":             "openid.Keeper.EndAged looks at the session, and deletes the row",
	"revocation":               "session.Keeper.Tidy deletes it when every node has read it",
	"signing_key":              "signingkey.Keeper deletes it when its last token has expired",
	"lease":                    ofNode,
	"node":                     ofNode,
	"account_role":             ofAccount,
	"applicant":                ofAccount,
	"factor":                   ofAccount,
	"identity":                 ofAccount,
	"imported_subject":         ofAccount,
	"newcomer":                 ofAccount,
	"unproven_address":         ofAccount,
	"openid_consent":           ofAccount,
	"openid_registered_client": "Operator.ForgetEnded deletes from it",
	"passkey":                  ofAccount,
	"person":                   ofAccount,
	"passkey_refusal":          ofAccount,
	"portrait":                 ofAccount,
	"recovery_code":            ofAccount,
	"schema_version":           "it names the migrations",
}

func TestPurge_EveryTable(t *testing.T) {
	t.Parallel()
	t.Run("SQLite", func(t *testing.T) {
		t.Parallel()
		path := filepath.Join(t.TempDir(), "p.db")
		purgesAll(t, sqlitetest.OpenAt(t, path), connect(t, "sqlite3", "file:"+path+"?_pragma=busy_timeout(5000)"),
			`SELECT t.name, c.name, c.type FROM sqlite_schema t JOIN pragma_table_info(t.name) c WHERE t.type = 'table' AND t.name NOT LIKE 'sqlite_%'`)
	})
	t.Run("Postgres", func(t *testing.T) {
		t.Parallel()
		url := pgtest.Migrated(t)
		purgesAll(t, openPostgres(t, url), connect(t, "pgx", url),
			`SELECT table_name, column_name, data_type FROM information_schema.columns WHERE table_schema = current_schema() AND table_name <> 'audit_default'`)
	})
}

func connect(t *testing.T, driver, url string) *sql.DB {
	t.Helper()
	db, err := sql.Open(driver, pgtest.Plain(url))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	return db
}

// purgesAll expects that Purge deletes a row of each table but of stays.
func purgesAll(t *testing.T, s *store.Store, db *sql.DB, schema string) {
	t.Helper()
	tables := fillTables(t, db, schema)
	now := time.Now()
	if err := s.Write(t.Context(), func(tx *store.Tx) error {
		_, err := storetest.Purge(t.Context(), tx, now, now.Add(-time.Hour))
		return err
	}); err != nil {
		t.Fatal(err)
	}
	for _, table := range tables {
		left := 0
		if err := db.QueryRow(`SELECT COUNT(*) FROM ` + table).Scan(&left); err != nil {
			t.Fatal(err)
		}
		if table == "commit_key" && s.Shared() {
			left-- // the key of this purge
		}
		switch _, reason := stays[table]; {
		case left > 0 && !reason:
			t.Errorf("no purge deletes from the table %s: add it to one, or to stays with the reason", table)
		case left == 0 && reason:
			t.Errorf("the table %s is purged: remove it from stays", table)
		}
	}
	for table := range stays {
		if !slices.Contains(tables, table) {
			t.Errorf("stays has the table %s, which is not there", table)
		}
	}
}

// fillTables puts a row into each table whose times are all in 1970, and returns the tables.
func fillTables(t *testing.T, db *sql.DB, schema string) []string {
	t.Helper()
	rows, err := db.Query(schema)
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	names, values := map[string][]string{}, map[string][]string{}
	for rows.Next() {
		var table, column, kind string
		if err := rows.Scan(&table, &column, &kind); err != nil {
			t.Fatal(err)
		}
		value := map[string]string{"bigint": "1"}[strings.ToLower(kind)]
		switch {
		case column == "seal": // no record came too late
			value = "0"
		case value == "":
			value = "'1'"
		}
		names[table], values[table] = append(names[table], column), append(values[table], value)
	}
	if err := rows.Err(); err != nil {
		t.Fatal(err)
	}
	all := slices.Sorted(maps.Keys(names))
	missing := slices.DeleteFunc(slices.Clone(all), func(table string) bool { return table == "schema_version" })
	for len(missing) > 0 { // a row may need the row of another table first
		before := len(missing)
		missing = slices.DeleteFunc(missing, func(table string) bool {
			_, err = db.Exec(`INSERT INTO ` + table + ` (` + strings.Join(names[table], ", ") + `) VALUES (` + strings.Join(values[table], ", ") + `)`)
			return err == nil
		})
		if len(missing) == before {
			t.Fatalf("no row for %v: %v", missing, err)
		}
	}
	return all
}
