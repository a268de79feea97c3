package archive_test

import (
	"bytes"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	_ "github.com/jackc/pgx/v5/stdlib"

	"portico/internal/masterkey"
	"portico/internal/secret"
	"portico/internal/store"
	"portico/internal/store/archive"
	"portico/internal/store/pgtest"
	"portico/internal/store/sqlitetest"
)

// place is a database with the store and, beside it, a connection without Portico's settings.
type place struct {
	*testing.T
	store *store.Store
	raw   *sql.DB
	key   *secret.Key
}

func onSQLite(t *testing.T, key *secret.Key) *place {
	t.Helper()
	path := filepath.Join(t.TempDir(), "p.db")
	p := &place{t, sqlitetest.OpenAt(t, path), nil, key}
	p.connect("sqlite3", "file:"+path+"?_pragma=busy_timeout(5000)&_pragma=foreign_keys(0)")
	return p
}

func onPostgres(t *testing.T, key *secret.Key) *place {
	t.Helper()
	url := pgtest.Migrated(t)
	s, err := store.Open(t.Context(), store.Config{URL: url})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	p := &place{t, s, nil, key}
	p.connect("pgx", pgtest.Plain(url))
	return p
}

func (p *place) connect(driver, url string) {
	p.Helper()
	var err error
	if p.raw, err = sql.Open(driver, url); err != nil {
		p.Fatal(err)
	}
	p.Cleanup(func() { _ = p.raw.Close() })
}

func (p *place) change(query string, args ...any) {
	p.Helper()
	if _, err := p.raw.ExecContext(p.Context(), query, args...); err != nil {
		p.Fatalf("%s: %v", query, err)
	}
}

// tables returns the tables and the types of their columns, as SQLite has them.
func (p *place) tables() map[string][]string {
	p.Helper()
	rows, err := p.raw.QueryContext(p.Context(), `SELECT t.name, c.type FROM sqlite_schema t, pragma_table_info(t.name) c
		WHERE t.type = 'table' AND t.name NOT LIKE 'sqlite_%' ORDER BY t.name, c.cid`)
	if err != nil {
		p.Fatal(err)
	}
	defer rows.Close()
	tables := map[string][]string{}
	for rows.Next() {
		var name, kind string
		if err := rows.Scan(&name, &kind); err != nil {
			p.Fatal(err)
		}
		tables[name] = append(tables[name], kind)
	}
	return tables
}

// fill inserts two rows into every table, also into tables of future migrations, with the empty
// and the extreme value of each type. All references point to one of them.
func (p *place) fill() {
	p.Helper()
	for name, kinds := range p.tables() {
		if name == "schema_version" || name == "move" {
			continue
		}
		for n := range 2 {
			var values []any
			for _, kind := range kinds {
				values = append(values, extreme(kind, n))
			}
			p.change(fmt.Sprintf("INSERT INTO %s VALUES (?%s)", name, strings.Repeat(", ?", len(values)-1)), values...)
		}
	}
	p.eachSealed(func(tx *store.Tx, place masterkey.Place, r masterkey.Row) error {
		_, err := tx.Reseal(p.Context(), place, r.ID, r.Sealed, p.key.Box(string(place)).Seal([]byte("of "+r.Context), r.Context))
		return err
	})
}

// sealed names the opened values of a place in the result of rows.
func sealed(place masterkey.Place) string { return "sealed " + string(place) }

// eachSealed calls do with each sealed value.
func (p *place) eachSealed(do func(*store.Tx, masterkey.Place, masterkey.Row) error) {
	p.Helper()
	err := p.store.Write(p.Context(), func(tx *store.Tx) error {
		for _, place := range masterkey.Places() {
			rows, err := tx.SealedRows(p.Context(), place, "", 100)
			if err != nil {
				return err
			}
			for _, r := range rows {
				if err := do(tx, place, r); err != nil {
					return err
				}
			}
		}
		return nil
	})
	if err != nil {
		p.Fatal(err)
	}
}

func extreme(kind string, n int) any {
	switch {
	case kind == "BIGINT" && n == 0:
		return int64(math.MinInt64)
	case kind == "BIGINT":
		return int64(math.MaxInt64)
	case kind == "BYTEA" && n == 0:
		return []byte{}
	case kind == "BYTEA":
		return []byte{0, 0xff, 0}
	case n == 0:
		return "x" // the empty id comes before every other one, so eachSealed would leave it out
	}
	return "\u00fc\U0001f600\u2028<'\"\\N\t\r\n"
}

// rows returns the archived rows as text. Sealed values are opened.
func (p *place) rows() map[string][]string {
	p.Helper()
	found := map[string][]string{}
	for _, name := range archive.Archived() {
		rows, err := p.raw.QueryContext(p.Context(), "SELECT * FROM "+name)
		if err != nil {
			p.Fatal(err)
		}
		columns, _ := rows.Columns()
		row, into := make([]any, len(columns)), make([]any, len(columns))
		for i := range row {
			into[i] = &row[i]
		}
		for rows.Next() {
			if err := rows.Scan(into...); err != nil {
				p.Fatal(err)
			}
			for _, at := range masterkey.Places() {
				if of, _ := store.SealedTableOf(at); of.Table == name {
					row[slices.Index(columns, of.Column)] = nil
				}
			}
			found[name] = append(found[name], fmt.Sprintf("%#v", row))
		}
		if err := errors.Join(rows.Err(), rows.Close()); err != nil {
			p.Fatal(err)
		}
	}
	p.eachSealed(func(_ *store.Tx, place masterkey.Place, r masterkey.Row) error {
		clear, err := p.key.Box(string(place)).Open(r.Sealed, r.Context)
		found[sealed(place)] = append(found[sealed(place)], fmt.Sprintf("%s %s %v", r.Context, clear, err))
		return nil
	})
	for _, lines := range found {
		slices.Sort(lines)
	}
	return found
}

func (p *place) export(record bool) []byte {
	p.Helper()
	var out bytes.Buffer
	_, err := archive.Write(p.Context(), p.store, p.key, &out, archive.Options{
		Version: "1.2.3", Record: record, Now: time.Now(), Report: func(int64, int64) {},
		Former: func() []byte { return p.key.Box(string(masterkey.Formers)).Seal([]byte("pepper"), p.key.ID()) },
	})
	if err != nil {
		p.Fatal(err)
	}
	return out.Bytes()
}

func (p *place) importing(ctx context.Context, text []byte) (archive.Result, error) {
	a, err := archive.Begin(bytes.NewReader(text))
	if err != nil {
		return archive.Result{}, err
	}
	if err := a.Fits(ctx, p.store); err != nil {
		return archive.Result{}, err
	}
	return a.Fill(ctx, p.store, archive.Into{Key: p.key, Now: time.Now(), Report: func(int64) {}, Finish: func(*store.Tx) error { return nil }})
}

func (p *place) must(text []byte) {
	p.Helper()
	if _, err := p.importing(p.Context(), text); err != nil {
		p.Fatal(err)
	}
}

// empty fails if a table has a row.
func (p *place) empty() {
	p.Helper()
	for name, lines := range p.rows() {
		p.Errorf("%s has rows: %s", name, lines)
	}
}

func same(t *testing.T, have, want map[string][]string) {
	t.Helper()
	for _, name := range archive.Archived() {
		if len(want[name]) < 2 || !slices.Equal(have[name], want[name]) {
			t.Errorf("%s: %s\nwant %s", name, have[name], want[name])
		}
	}
	for _, place := range masterkey.Places() {
		if have, want := have[sealed(place)], want[sealed(place)]; !slices.Equal(have, want) || strings.Contains(fmt.Sprint(have), "cannot be opened") {
			t.Errorf("sealed %s: %s\nwant %s", place, have, want)
		}
	}
}

// Each table is archived, or stays for a reason. Tables come after those that they refer to.
func TestTables_AreDecided(t *testing.T) {
	t.Parallel()
	p := onSQLite(t, secret.NewKey())
	for name := range p.tables() {
		_, stays := archive.OfThePlace()[name]
		if slices.Contains(archive.Archived(), name) == stays {
			t.Errorf("the table %s has to be in one of the lists of table.go: does it come along in an archive, or does it belong to the place?", name)
		}
	}
	for i, name := range archive.Archived() {
		rows, err := p.raw.QueryContext(t.Context(), `SELECT "table" FROM pragma_foreign_key_list(?)`, name)
		if err != nil {
			t.Fatal(err)
		}
		for rows.Next() {
			var parent string
			if err := rows.Scan(&parent); err != nil {
				t.Fatal(err)
			}
			if !slices.Contains(archive.Archived()[:i], parent) {
				t.Errorf("%s comes before %s", name, parent)
			}
		}
		if err := errors.Join(rows.Err(), rows.Close()); err != nil {
			t.Fatal(err)
		}
	}
}

// Every table arrives complete and unchanged, on both engines and back, under the same master key
// and under another one.
func TestArchive_EveryTable(t *testing.T) {
	t.Parallel()
	key, other := secret.NewKey(), secret.NewKey()
	p := onSQLite(t, key)
	p.fill()
	want := p.rows()
	text := p.export(true)
	back := onSQLite(t, key)
	back.must(text)
	same(t, back.rows(), want)
	// The other installation keeps the first key as a former one, and the first one knows itself.
	shared := onSQLite
	if os.Getenv(pgtest.Server) != "" {
		shared = onPostgres
	}
	away, beside := shared(t, other), shared(t, other)
	away.must(text)
	beside.must(away.export(true))
	same(t, beside.rows(), away.rows())
	pepper := fmt.Sprintf("%s pepper <nil>", key.ID())
	if found := away.rows()[sealed(masterkey.Formers)]; !slices.Contains(found, pepper) {
		t.Errorf("the key of the password hashes is not among %s", found)
	}
	again := onSQLite(t, key)
	again.must(away.export(true))
	for name, lines := range again.rows() {
		if name == "former_master_key" || name == sealed(masterkey.Formers) {
			continue // it has the other key now
		}
		if !slices.Equal(lines, want[name]) {
			t.Errorf("%s came back as %s\nwant %s", name, lines, want[name])
		}
	}
}

// Without the record, its tables stay empty.
func TestArchive_WithoutTheRecord(t *testing.T) {
	t.Parallel()
	key := secret.NewKey()
	p, to := onSQLite(t, key), onSQLite(t, key)
	p.fill()
	to.must(p.export(false))
	found := to.rows()
	if len(found["audit"])+len(found["audit_seal"])+len(found["audit_chain"]) > 0 || len(found["account"]) != 2 {
		t.Errorf("%v", found)
	}
}

// A damaged archive is refused, and nothing is written.
func TestArchive_Damaged(t *testing.T) {
	t.Parallel()
	key := secret.NewKey()
	p := onSQLite(t, key)
	p.fill()
	text := p.export(true)
	lines := bytes.SplitAfter(text, []byte("\n"))
	join := func(parts ...[][]byte) []byte { return bytes.Join(slices.Concat(parts...), nil) }
	to := onSQLite(t, key)
	for name, c := range map[string]struct {
		text []byte
		want string
	}{
		"no file":          {nil, "not an archive"},
		"another file":     {[]byte(`{"email":"a@example.org"}` + "\n"), "not an archive"},
		"only the head":    {lines[0], "ends early"},
		"without the end":  {join(lines[:len(lines)-2]), "ends early"},
		"half a line":      {text[:len(text)/2], "ends early"},
		"a line less":      {join(lines[:3], lines[4:]), "was changed"},
		"a line twice":     {join(lines[:2], lines[1:]), "does not take"},
		"lines exchanged":  {join(lines[:1], lines[2:3], lines[1:2], lines[3:]), "was changed"},
		"tables exchanged": {join(lines[:1], lines[3:5], lines[1:3], lines[5:]), "was changed"},
		"more at the end":  {append(bytes.Clone(text), lines[1]...), "was changed"},
		"another value":    {bytes.Replace(text, []byte(`"name":"x"`), []byte(`"name":"y"`), 1), "was changed"},
		"another head":     {bytes.Replace(text, []byte(`"1.2.3"`), []byte(`"1.2.4"`), 1), "was changed"},
		"another table":    {bytes.Replace(text, []byte(`{"account":`), []byte(`{"installation":`), 1), "is not expected here"},
		"a missing column": {bytes.Replace(text, []byte(`"address":"x",`), nil, 1), "account.address is missing"},
		"a new column":     {bytes.Replace(text, []byte(`"address":`), []byte(`"more":1,"address":`), 1), "a column that this version does not know"},
		"another type":     {bytes.Replace(text, []byte(`"address":"x"`), []byte(`"address":7`), 1), "account.address: it is not of the type"},
		"two in a line":    {join(lines[:1], [][]byte{append(bytes.TrimSuffix(bytes.Clone(lines[1]), []byte("}\n")), append([]byte(","), lines[3][1:]...)...)}, lines[2:]), "is not a row"},
		"not a row":        {bytes.Replace(text, []byte(`{"account":`), []byte(`{"account":1}{`), 1), "was changed"},
		"another schema":   {bytes.Replace(text, []byte(`"schema":`), []byte(`"schema":9`), 1), "import it with that version"},
		"another form":     {bytes.Replace(text, []byte(`archive":1`), []byte(`archive":2`), 1), "import it with that version"},
		"of portico dev":   {bytes.Replace(text, []byte(`"purpose":""`), []byte(`"purpose":"development"`), 1), "portico dev"},
	} {
		if _, err := to.importing(t.Context(), c.text); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v", name, err)
		}
	}
	to.empty()
	to.must(text)
	if _, err := to.importing(t.Context(), text); !errors.Is(err, fs.ErrExist) || !strings.Contains(err.Error(), "its table account has rows") {
		t.Errorf("a second import: %v", err)
	}
}

// A value that no key opens is left out, and its row is there.
func TestArchive_Unopened(t *testing.T) {
	t.Parallel()
	key := secret.NewKey()
	p, to := onSQLite(t, key), onSQLite(t, key)
	p.fill()
	p.change(`UPDATE factor SET sealed = x'00' WHERE id = 'x'`)
	to.must(p.export(false))
	if found := to.rows()[sealed(masterkey.Factors)]; len(found) != 2 || found[0] != "x x  <nil>" {
		t.Errorf("%q", found)
	}
}

// An export has one state of all tables, whatever others write meanwhile.
func TestArchive_OneState(t *testing.T) {
	t.Parallel()
	key := secret.NewKey()
	places := []*place{onSQLite(t, key)}
	if os.Getenv(pgtest.Server) != "" {
		places = append(places, onPostgres(t, key))
	}
	from := onSQLite(t, key)
	from.fill()
	text := from.export(false)
	for _, p := range places {
		p.must(text)
		var out writing
		out.then = func() { p.change(`DELETE FROM passkey_refusal`); p.change(`DELETE FROM mailbox_refusal`) }
		_, err := archive.Write(t.Context(), p.store, key, &out, archive.Options{
			Now: time.Now(), Report: func(int64, int64) {}, Former: func() []byte { return nil },
		})
		if err != nil || strings.Count(out.String(), `{"passkey_refusal":`) != 2 || strings.Count(out.String(), `{"mailbox_refusal":`) != 2 {
			t.Errorf("%v\n%s", err, out.String())
		}
	}
}

// writing calls a function at the first write.
type writing struct {
	bytes.Buffer
	then func()
}

func (w *writing) Write(p []byte) (int, error) {
	if w.Len() == 0 {
		w.then()
	}
	return w.Buffer.Write(p)
}
