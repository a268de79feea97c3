package security

import (
	"database/sql"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"

	_ "github.com/jackc/pgx/v5/stdlib"       // reads the database of the site
	_ "github.com/ncruces/go-sqlite3/driver" // the same for SQLite

	"portico/internal/store/pgtest"
)

// database opens the database of the site for reading, as a thief of the file
// would.
func (s *site) database() *sql.DB { return s.openDatabase("mode=ro&") }

// named makes an account with a name that no form and no command accepts, as another program
// may have stored it. It returns the address.
func (s *site) named(name string) (address string) {
	s.Helper()
	address = fresh("n")
	if _, err := s.openDatabase("").Exec(`UPDATE account SET name = $1 WHERE id = $2`, name, s.operator(address, good).ID); err != nil {
		s.Fatal(err)
	}
	return address
}

func (s *site) openDatabase(options string) *sql.DB {
	s.Helper()
	driver, address := "pgx", pgtest.Plain(s.config.DatabaseURL)
	if s.onSQLite() {
		driver, address = "sqlite3", "file:"+s.databaseFile()+"?"+options+"_pragma=busy_timeout(5000)"
	}
	db, err := sql.Open(driver, address)
	if err != nil {
		s.Fatal(err)
	}
	s.Cleanup(func() { _ = db.Close() })
	return db
}

func (s *site) onSQLite() bool { return strings.HasPrefix(s.config.DatabaseURL, "sqlite:") }

// tables returns the tables that hold accounts, flows and the like. Tables of
// the background work are left out, because they change by themselves.
func (s *site) tables(db *sql.DB) []string {
	s.Helper()
	query := `SELECT relname FROM pg_class WHERE relkind IN ('r', 'p') AND NOT relispartition AND relnamespace = current_schema()::regnamespace`
	if s.onSQLite() {
		query = `SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%'`
	}
	return slices.DeleteFunc(s.strings(db, query), func(name string) bool { return name == "lease" || name == "commit_key" })
}

func (s *site) databaseFile() string { return strings.TrimPrefix(s.config.DatabaseURL, "sqlite:") }

// count returns the number that a query selects.
func (s *site) count(query string, args ...any) int {
	s.Helper()
	var n int
	if err := s.database().QueryRow(query, args...).Scan(&n); err != nil {
		s.Fatal(err)
	}
	return n
}

// evaluated returns how many codes or passwords were compared and found wrong,
// from the audit record. A guess that a limit refuses leaves no entry there.
func (s *site) evaluated(what string) int {
	s.Helper()
	return s.count(`SELECT COUNT(*) FROM audit WHERE name IN ($1, 'throttled')`, what)
}

// eachRow hands on every row of a table.
func (s *site) eachRow(db *sql.DB, table string, take func(columns []string, values []any)) {
	s.Helper()
	rows, err := db.Query(`SELECT * FROM "` + table + `"`)
	if err != nil {
		s.Fatal(err)
	}
	defer rows.Close()
	columns, err := rows.Columns()
	if err != nil {
		s.Fatal(err)
	}
	for rows.Next() {
		values, places := make([]any, len(columns)), make([]any, len(columns))
		for i := range values {
			places[i] = &values[i]
		}
		if err := rows.Scan(places...); err != nil {
			s.Fatal(err)
		}
		take(columns, values)
	}
	if err := rows.Err(); err != nil {
		s.Fatal(err)
	}
}

// rows returns every value of every table as text.
func (s *site) rows() map[string][]string {
	s.Helper()
	db := s.database()
	found := map[string][]string{}
	for _, table := range s.tables(db) {
		found[table] = []string{}
		s.eachRow(db, table, func(columns []string, values []any) {
			var row []string
			for i, v := range values {
				if columns[i] != "last_seen_at" && columns[i] != "lineage" { // the background work writes them
					row = append(row, columns[i]+"="+valueText(v))
				}
			}
			found[table] = append(found[table], strings.Join(row, " "))
		})
		slices.Sort(found[table])
	}
	return found
}

func valueText(v any) string {
	if b, ok := v.([]byte); ok {
		return fmt.Sprintf("%x", b)
	}
	return fmt.Sprint(v)
}

func (s *site) strings(db *sql.DB, query string) (list []string) {
	s.Helper()
	rows, err := db.Query(query)
	if err != nil {
		s.Fatal(err)
	}
	defer rows.Close()
	for rows.Next() {
		var text string
		if err := rows.Scan(&text); err != nil {
			s.Fatal(err)
		}
		list = append(list, text)
	}
	return list
}

// unchanged fails if fn changes the database, but for some tables. What the background work writes does not count: seals
// of audit records, and on PostgreSQL the heartbeats of each node and where the server's log is.
func (s *site) unchanged(what string, fn func(), but ...string) {
	s.Helper()
	s.settle() // an email is marked as sent only after it has arrived
	before := s.rows()
	fn()
	after := s.rows()
	but = append(but, "node", "audit_chain", "audit_seal")
	for _, table := range slices.Sorted(maps.Keys(after)) {
		if !slices.Contains(but, table) && !slices.Equal(before[table], after[table]) {
			s.Errorf("%s changed the table %s:\n%s\n---\n%s", what, table, strings.Join(before[table], "\n"), strings.Join(after[table], "\n"))
		}
	}
}

// files returns the files of the database without the key, with the log of
// SQLite.
func (s *site) files() map[string]string {
	s.Helper()
	found := map[string]string{}
	if !s.onSQLite() { // the files are on another machine, so it returns their rows
		for table, rows := range s.rows() {
			found["the table "+table] = strings.Join(rows, "\n")
		}
		return found
	}
	for _, suffix := range []string{"", "-wal"} {
		data, err := os.ReadFile(s.databaseFile() + suffix)
		if err != nil {
			s.Fatal(err)
		}
		found["the database file"+suffix] = string(data)
	}
	return found
}

// breakStore makes every statement of the site fail. The error contains the
// words of the database.
func (s *site) breakStore() {
	s.Helper()
	db := s.openDatabase("")
	for _, table := range s.tables(db) {
		if _, err := db.Exec(`ALTER TABLE "` + table + `" RENAME TO "gone_` + table + `"`); err != nil {
			s.Fatal(err)
		}
	}
}
