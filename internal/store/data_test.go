package store_test

import (
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"portico/internal/store"
	"portico/internal/store/pgtest"
)

// ofNobody are the tables that AccountData does not read, because they name no
// account. docs/operating/personal-data.md gives the reasons.
var ofNobody = []string{
	"api_key", "audit_chain", "audit_seal", "code", "commit_key", "email_outcome", "ended_sender", "former_master_key", "schema_version", "installation", "job_part", "lease", "move", "node", "openid_registered_client", "openid_device", "openid_initial_token", "openid_pushed_request", "openid_watch", "mailbox_refusal", "once", "session_end",
	"signing_key",
	"spent_ticket", "throttle",
}

// madeBySQLite are tables without a migration.
var madeBySQLite = []string{"sqlite_sequence"}

func TestPersonal_KnowsEveryTable(t *testing.T) {
	t.Parallel()
	sqlite, err := migrated(t).Tables(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range madeBySQLite {
		delete(sqlite, name)
	}
	t.Run("SQLite", func(t *testing.T) { knowsAll(t, sqlite) })
	t.Run("Postgres", func(t *testing.T) { knowsAll(t, postgresColumns(t)) })

	page, err := os.ReadFile("../../docs/operating/personal-data.md")
	if err != nil {
		t.Fatal(err)
	}
	_, leftOut := store.Personal()
	for _, name := range ofNobody {
		if !strings.Contains(string(page), fmt.Sprintf("| `%s` |", name)) {
			t.Errorf("docs/operating/personal-data.md does not say why the table %s is left out", name)
		}
	}
	for table, columns := range leftOut {
		for _, column := range columns {
			if !strings.Contains(string(page), fmt.Sprintf("| `%s.%s` |", table, column)) {
				t.Errorf("docs/operating/personal-data.md does not say why %s.%s is left out", table, column)
			}
		}
	}
}

// knowsAll fails for a table or a column that the file with a user's data neither
// has nor leaves out on purpose.
func knowsAll(t *testing.T, schema map[string][]string) {
	shown, leftOut := store.Personal()
	for _, table := range slices.Sorted(maps.Keys(schema)) {
		columns := schema[table]
		if slices.Contains(ofNobody, table) {
			for _, c := range columns {
				if c == "account_id" || c == "address_key" {
					t.Errorf("the table %s names an account in %s: add it to ownedTables", table, c)
				}
			}
			continue
		}
		known := append(slices.Clone(shown[table]), leftOut[table]...)
		if len(known) == 0 {
			t.Errorf("the table %s is in no list: does a row name an account?", table)
			continue
		}
		for _, c := range columns {
			if !slices.Contains(known, c) {
				t.Errorf("%s.%s is neither in the file with a user's data nor left out", table, c)
			}
		}
	}
}

func postgresColumns(t *testing.T) map[string][]string {
	conn, err := pgx.Connect(t.Context(), pgtest.Plain(pgtest.Migrated(t)))
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(t.Context())
	rows, err := conn.Query(t.Context(), `SELECT table_name::text, column_name::text FROM information_schema.columns WHERE table_schema = current_schema() AND table_name <> 'audit_default'`)
	if err != nil {
		t.Fatal(err)
	}
	schema := map[string][]string{}
	var table, column string
	if _, err := pgx.ForEachRow(rows, []any{&table, &column}, func() error {
		schema[table] = append(schema[table], column)
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	return schema
}
