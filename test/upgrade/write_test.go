package upgrade

import (
	"database/sql"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"portico/internal/flow"
	"portico/internal/secret"
)

var version = flag.String("fixture", "", "write the databases of this version, such as v1.2.3, into testdata")

// With the flag -fixture, this makes an installation on each engine with the code
// of today, and keeps it in testdata. A version that is there already is refused:
// what was released does not change.
func TestWrite(t *testing.T) {
	if *version == "" {
		t.Skip("make fixture runs this")
	}
	folder := filepath.Join("testdata", *version)
	if err := os.MkdirAll("testdata", 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(folder, 0o755); err != nil {
		t.Fatal(err)
	}
	if _, err := secret.CreateKey(filepath.Join(folder, "secret.key")); err != nil {
		t.Fatal(err)
	}
	both(t, func(e engine) {
		e.migrate()
		e.use()
		e.fill()
		e.save(*version)
	})
}

// use does what users and operators do. In the end the master key of the version has
// replaced another one.
func (e engine) use() {
	e.Helper()
	former := filepath.Join(e.TempDir(), "former.key")
	if _, err := secret.CreateKey(former); err != nil {
		e.Fatal(err)
	}
	a := e.open(former, key(e.T, *version))
	defer a.Close()
	if _, err := a.Operator.CreateUser(e.Context(), flow.ByOperator, mara, "Mara Lind", password, "admin"); err != nil {
		e.Fatal(err)
	}
	e.signIn(a)
	if _, err := a.Flows.SignIn(e.Context(), caller, flow.SignInInput{Email: mara, Password: "wrong, and long enough"}); err == nil {
		e.Fatal("a wrong password signs in")
	}
	for _, address := range []string{mara, "ben@example.org"} {
		if _, err := a.Flows.Recover(e.Context(), caller, address, flow.Target{}); err != nil {
			e.Fatal(err)
		}
	}
	if _, err := a.Operator.RotateKey(e.Context(), flow.ByOperator); err != nil {
		e.Fatal(err)
	}
	if _, err := a.ChangeKey(e.Context(), false, func(string) {}); err != nil {
		e.Fatal(err)
	}
}

// fill inserts a row into each table that has none, with values that can be read.
func (e engine) fill() {
	e.Helper()
	db := e.db()
	defer db.Close()
	owner := e.strings(db, "SELECT id FROM account")[0]
	for table, n := range e.counts() {
		if n > 0 {
			continue
		}
		columns, values := e.sample(db, table, owner)
		marks := make([]string, len(values))
		for i := range marks {
			marks[i] = fmt.Sprintf("$%d", i+1)
		}
		statement := fmt.Sprintf("INSERT INTO %s (%s) VALUES (%s)", table, strings.Join(columns, ", "), strings.Join(marks, ", "))
		if _, err := db.ExecContext(e.Context(), statement, values...); err != nil {
			e.Fatalf("%s: %v", statement, err)
		}
		e.Logf("%s has an invented row", table)
	}
}

// sample returns the columns of a table and a value for each.
func (e engine) sample(db *sql.DB, table, owner string) (columns []string, values []any) {
	e.Helper()
	query := "SELECT column_name || ' ' || upper(data_type) FROM information_schema.columns WHERE table_schema = 'public' AND table_name = '" + table + "'"
	if e.file != "" {
		query = "SELECT name || ' ' || type FROM pragma_table_info('" + table + "')"
	}
	for _, column := range e.strings(db, query) {
		name, kind, _ := strings.Cut(column, " ")
		var value any = "sample"
		switch {
		case name == "account_id":
			value = owner
		case slices.Contains([]string{"methods", "scopes", "transports", "resources", "claims"}, name):
			value = "[]"
		case slices.Contains([]string{"settings", "keys", "metadata"}, name):
			value = "{}"
		case kind == "BIGINT":
			value = int64(1_800_000_000_000_000)
		case kind == "BYTEA":
			value = []byte("sample")
		}
		columns, values = append(columns, name), append(values, value)
	}
	return columns, values
}
