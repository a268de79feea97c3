package move_test

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"portico/internal/account"
	"portico/internal/fault"
	"portico/internal/store"
	"portico/internal/store/move"
	"portico/internal/store/pgtest"
	"portico/internal/store/sqlitetest"
)

// moving is an SQLite database with rows in every table, and the target of its
// move.
type moving struct {
	*testing.T
	source *store.Store
	path   string // of the source
	to     string
	report func(step, table string)
}

func newMoving(t *testing.T, to string) *moving {
	t.Helper()
	path := filepath.Join(t.TempDir(), "p.db")
	m := &moving{T: t, source: sqlitetest.OpenAt(t, path), path: path, to: to}
	m.fill()
	return m
}

func (m *moving) from() string { return "sqlite:" + m.path }

// openTarget opens the PostgreSQL database.
func openTarget(t *testing.T, url string) *store.Store {
	t.Helper()
	s, err := store.Open(t.Context(), store.Config{URL: url})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	return s
}

func (m *moving) move() (move.Result, error) {
	return move.Run(m.Context(), m.from(), m.to, move.Options{Report: func(step, table string, _ int64) {
		if m.report != nil {
			m.report(step, table)
		}
	}})
}

func (m *moving) must() move.Result {
	m.Helper()
	done, err := m.move()
	if err != nil {
		m.Fatal(err)
	}
	return done
}

// sqlite opens the file without Portico's settings.
func (m *moving) sqlite() *sql.DB {
	m.Helper()
	db, err := sql.Open("sqlite3", "file:"+m.path+"?_pragma=busy_timeout(5000)&_pragma=foreign_keys(0)")
	if err != nil {
		m.Fatal(err)
	}
	m.Cleanup(func() { _ = db.Close() })
	return db
}

func (m *moving) change(query string) {
	m.Helper()
	if _, err := m.sqlite().ExecContext(m.Context(), query); err != nil {
		m.Fatalf("%s: %v", query, err)
	}
}

func (m *moving) postgres() *pgx.Conn {
	m.Helper()
	conn, err := pgx.Connect(m.Context(), pgtest.Plain(m.to))
	if err != nil {
		m.Fatal(err)
	}
	m.Cleanup(func() { _ = conn.Close(context.Background()) })
	return conn
}

// tables returns the tables and the types of their columns, as SQLite has them.
func (m *moving) tables() map[string][]string {
	m.Helper()
	rows, err := m.sqlite().QueryContext(m.Context(), `SELECT t.name, c.type FROM sqlite_schema t, pragma_table_info(t.name) c
		WHERE t.type = 'table' AND t.name NOT IN ('schema_version', 'commit_key', 'move') AND t.name NOT LIKE 'sqlite_%' ORDER BY t.name, c.cid`)
	if err != nil {
		m.Fatal(err)
	}
	defer rows.Close()
	tables := map[string][]string{}
	for rows.Next() {
		var name, kind string
		if err := rows.Scan(&name, &kind); err != nil {
			m.Fatal(err)
		}
		tables[name] = append(tables[name], kind)
	}
	return tables
}

// fill inserts two rows into every table, also into tables of future
// migrations. They have the empty and the extreme value of each type. All
// references point to one of them.
func (m *moving) fill() {
	m.Helper()
	tx, err := m.sqlite().BeginTx(m.Context(), nil)
	if err != nil {
		m.Fatal(err)
	}
	for name, kinds := range m.tables() {
		for n := range 2 {
			var values []any
			for i, kind := range kinds {
				values = append(values, extreme(kind, n, i))
			}
			_, inserted := tx.ExecContext(m.Context(), fmt.Sprintf("INSERT INTO %s VALUES (?%s)", name, strings.Repeat(", ?", len(values)-1)), values...)
			err = errors.Join(err, inserted)
		}
	}
	if err := errors.Join(err, tx.Commit()); err != nil {
		m.Fatal(err)
	}
}

func extreme(kind string, n, column int) any {
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
		return ""
	}
	return "\u00fc\U0001f600\u2028'\"\\N\t\r\n"
}

// all returns every row of a side as text.
func all(t *testing.T, tables []string, query func(string) ([][]any, error)) map[string][]string {
	t.Helper()
	found := map[string][]string{}
	for _, name := range tables {
		rows, err := query("SELECT * FROM " + name)
		if err != nil {
			t.Fatal(err)
		}
		for _, row := range rows {
			found[name] = append(found[name], fmt.Sprintf("%q", row))
		}
		slices.Sort(found[name])
	}
	return found
}

// same fails unless both sides have the same rows. It compares them in another
// way than Move does.
func (m *moving) same() {
	m.Helper()
	var names []string
	for name := range m.tables() {
		names = append(names, name)
	}
	db := m.sqlite()
	have := all(m.T, names, func(query string) ([][]any, error) { return sqliteRows(db, query) })
	conn := m.postgres()
	got := all(m.T, names, func(query string) ([][]any, error) {
		rows, err := conn.Query(m.Context(), query)
		if err != nil {
			return nil, err
		}
		return pgx.CollectRows(rows, func(row pgx.CollectableRow) ([]any, error) { return row.Values() })
	})
	for _, name := range names {
		if len(have[name]) == 0 || !slices.Equal(have[name], got[name]) {
			m.Errorf("%s: SQLite %s\nPostgreSQL %s", name, have[name], got[name])
		}
	}
}

func sqliteRows(db *sql.DB, query string) ([][]any, error) {
	rows, err := db.Query(query)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	columns, _ := rows.Columns()
	var found [][]any
	for rows.Next() {
		row, into := make([]any, len(columns)), make([]any, len(columns))
		for i := range row {
			into[i] = &row[i]
		}
		if err := rows.Scan(into...); err != nil {
			return nil, err
		}
		found = append(found, row)
	}
	return found, rows.Err()
}

// Every table arrives complete and unchanged.
func TestMove_EveryTable(t *testing.T) {
	t.Parallel()
	m := newMoving(t, pgtest.Empty(t))
	done := m.must()
	m.same()
	for name := range m.tables() {
		if !slices.Contains(done.Tables, move.TableRows{Name: name, Rows: 2}) {
			t.Errorf("%s is not among %v", name, done.Tables)
		}
	}
}

// After the switch SQLite takes no write, and PostgreSQL is served.
func TestMove_OneIsServed(t *testing.T) {
	t.Parallel()
	m := newMoving(t, pgtest.Migrated(t))
	if err := m.source.CheckHome(t.Context()); err != nil {
		t.Fatal(err)
	}
	m.must()
	m.noJournal()
	err := m.source.Write(t.Context(), func(*store.Tx) error { return nil })
	if f := fault.From(err); f.Kind != fault.Unavailable || f.RetryAfter == 0 || !errors.Is(err, store.ErrMoved) {
		t.Errorf("a process that was open writes: %v", err)
	}
	later := sqlitetest.OpenAt(t, m.path)
	if err := later.Write(t.Context(), func(*store.Tx) error { return nil }); !errors.Is(err, store.ErrMoved) {
		t.Errorf("a process that is opened later writes: %v", err)
	}
	if err := later.CheckHome(t.Context()); !errors.Is(err, store.ErrMoved) {
		t.Errorf("it could be served: %v", err)
	}
	if err := openTarget(t, m.to).CheckHome(t.Context()); err != nil {
		t.Errorf("the new one cannot be served: %v", err)
	}
	if _, err := m.move(); !errors.Is(err, store.ErrMoved) {
		t.Errorf("moved twice: %v", err)
	}
}

// Every acknowledged write of any moment of a move is there afterwards: added,
// changed and deleted rows.
func TestMove_UnderWrites(t *testing.T) {
	t.Parallel()
	m := newMoving(t, pgtest.Migrated(t))
	claim, err := m.source.Claim() // as a server
	if err != nil {
		t.Fatal(err)
	}
	defer claim.Close()
	var mu sync.Mutex
	kept := map[string]bool{}
	stop := make(chan struct{})
	var writers sync.WaitGroup
	for worker := range 4 {
		writers.Go(func() {
			for n := 0; ; n++ {
				select {
				case <-stop:
					return
				default:
				}
				key := fmt.Sprintf("%d-%d@x.test", worker, n)
				err := m.source.Write(t.Context(), func(tx *store.Tx) error {
					if _, err := tx.DeleteAccount(t.Context(), fmt.Sprint(worker, n-9)); err != nil {
						return err
					}
					_, err := tx.InsertAccount(t.Context(), account.Account{ID: fmt.Sprint(worker, n), Address: account.Address{Key: key}})
					return err
				})
				if err == nil {
					mu.Lock()
					kept[key] = true
					delete(kept, fmt.Sprintf("%d-%d@x.test", worker, n-9))
					mu.Unlock()
				}
				time.Sleep(time.Millisecond)
			}
		})
	}
	m.must()
	close(stop)
	writers.Wait()
	m.same()
	there := openTarget(t, m.to)
	for key := range kept {
		err := there.Read(t.Context(), func(tx *store.Tx) error {
			_, found, err := tx.AccountByKey(t.Context(), key)
			if err == nil && !found {
				err = fs.ErrNotExist
			}
			return err
		})
		if err != nil {
			t.Errorf("%s: %v", key, err)
		}
	}
	if len(kept) == 0 {
		t.Error("nothing was acknowledged")
	}
}

// A unique value moves from a deleted row to another one, and the rows that
// referred to the deleted row come back.
func TestMove_ValueChangesRows(t *testing.T) {
	t.Parallel()
	m := newMoving(t, pgtest.Migrated(t))
	var once sync.Once
	m.report = func(step, _ string) {
		if strings.Contains(step, "changed") { // the snapshot was copied
			once.Do(func() {
				m.change(`UPDATE account SET address_key = 'other' WHERE id = ''`)
				m.change(`UPDATE account SET address_key = '' WHERE id <> ''`)
				m.change(`UPDATE throttle SET key = 'renamed' WHERE key = ''`)
			})
		}
	}
	m.must()
	m.same()
}

// A target with data is not changed.
func TestMove_NotEmpty(t *testing.T) {
	t.Parallel()
	for name, query := range map[string]string{
		"another installation":  `INSERT INTO installation (id, purpose, key_check, hash_cost, lineage) VALUES (1, 'real', '', '', '')`,
		"another move":          `INSERT INTO move (id, state, until) VALUES (1, 'coming', 0); INSERT INTO installation (id, purpose, key_check, hash_cost, lineage) VALUES (1, 'real', 'other', '', '')`,
		"a table of other data": `CREATE TABLE other (id INT); INSERT INTO other VALUES (1)`,
	} {
		m := newMoving(t, pgtest.Migrated(t))
		if _, err := m.postgres().Exec(t.Context(), query); err != nil {
			t.Fatal(err)
		}
		if _, err := m.move(); !errors.Is(err, fs.ErrExist) || strings.Contains(err.Error(), "file already exists") {
			t.Errorf("%s: %v, want fs.ErrExist", name, err)
		}
		m.stays()
		if err := openTarget(t, m.to).CheckHome(t.Context()); (err != nil) != strings.Contains(query, "coming") {
			t.Errorf("%s: the target: %v", name, err)
		}
	}
}

// stays fails unless the source is served as if there had been no move.
func (m *moving) stays() {
	m.Helper()
	err := m.source.Write(m.Context(), func(tx *store.Tx) error {
		state, err := tx.MoveState(m.Context())
		if err == nil && state != "" {
			err = fmt.Errorf("the source is %s", state)
		}
		return err
	})
	if err = errors.Join(err, m.source.CheckHome(m.Context())); err != nil {
		m.Error(err)
	}
	m.noJournal()
}

// noJournal fails if writes are still recorded.
func (m *moving) noJournal() {
	m.Helper()
	left, err := sqliteRows(m.sqlite(), `SELECT type, name FROM sqlite_schema WHERE name LIKE 'move\_%' ESCAPE '\' OR type = 'trigger'`)
	if err != nil || len(left) > 0 {
		m.Errorf("a journal is left: %v (%v)", left, err)
	}
}

func TestMove_Refused(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		prepare func(m *moving)
		want    string
	}{
		"a table that is on one side":         {func(m *moving) { m.change(`CREATE TABLE extra (id TEXT PRIMARY KEY)`) }, "only one side has the column extra.id text"},
		"a table without a key":               {func(m *moving) { m.change(`CREATE TABLE extra (id TEXT)`) }, "no primary key"},
		"a text that PostgreSQL cannot keep":  {func(m *moving) { m.change(`UPDATE account SET name = 'a' || char(0)`) }, `account: the row id "", column name: the text holds a zero byte`},
		"a text that is not UTF-8":            {func(m *moving) { m.change(`UPDATE account SET name = CAST(x'ff' AS TEXT)`) }, "not UTF-8"},
		"bytes in a text":                     {func(m *moving) { m.change(`UPDATE account SET name = x'00'`) }, "does not fit"},
		"a text in a number":                  {func(m *moving) { m.change(`UPDATE account SET version = 'a'`) }, "does not fit"},
		"a schema that is older than we":      {func(m *moving) { m.change(`DELETE FROM schema_version WHERE version_id = 1`) }, "portico migrate"},
		"a target that is not PostgreSQL":     {func(m *moving) { m.to = m.from() }, "from SQLite to PostgreSQL"},
		"a target that takes no writes":       {func(m *moving) { m.to += "&default_transaction_read_only=on" }, "is read-only"},
		"a target of somebody else":           {func(m *moving) { m.to += "&role=pg_monitor" }, "may not make tables"},
		"a target that nobody answers for":    {func(m *moving) { m.to = "postgres://u:hush@127.0.0.1:1/p" }, "127.0.0.1"},
		"a target that is no database at all": {func(m *moving) { m.to = strings.Replace(m.to, "/test_", "/none_", 1) }, "does not exist"},
	} {
		m := newMoving(t, pgtest.Migrated(t))
		c.prepare(m)
		_, err := m.move()
		said := fmt.Sprint(err)
		if cause := errors.Unwrap(err); cause != nil {
			said += fmt.Sprint(cause)
		}
		if err == nil || !strings.Contains(said, c.want) || strings.Contains(said, "hush") {
			t.Errorf("%s: %v, want %s", name, said, c.want)
		}
		m.stays()
	}
}

var errInterrupted = errors.New("interrupted")

// Wherever a move fails, the source is served as before, and the next move
// succeeds. test/faults kills the binary.
func TestMove_Interrupted(t *testing.T) {
	t.Parallel()
	for _, at := range []string{"copy", "compare", "copy what was changed", "switch", "switch: revocation"} {
		m := newMoving(t, pgtest.Migrated(t))
		ctx, cancel := context.WithCancelCause(t.Context())
		var once sync.Once
		_, err := move.Run(ctx, m.from(), m.to, move.Options{Report: func(step, table string, _ int64) {
			if step == "switch" && table == "" { // the switch writes the last rows
				once.Do(func() { m.change(`INSERT INTO revocation (id, account_id, at) VALUES ('a', 'a', 1)`) })
			}
			if step == at || step+": "+table == at {
				cancel(errInterrupted)
			}
		}})
		if err == nil || !strings.Contains(err.Error(), "run 'portico move' again") {
			t.Errorf("%s: it was not interrupted, or does not say so: %v", at, err)
			continue
		}
		m.stays()
		if err := openTarget(t, m.to).CheckHome(t.Context()); !errors.Is(err, store.ErrComing) {
			t.Errorf("%s: the target can be served: %v", at, err)
		}
		m.must()
		m.same()
	}
}

// The next move completes a move that ended between its last two commits. In
// between, neither database can be served.
func TestMove_Completes(t *testing.T) {
	t.Parallel()
	m := newMoving(t, pgtest.Migrated(t))
	m.must()
	if _, err := m.postgres().Exec(t.Context(), `INSERT INTO move (id, state, until) VALUES (1, 'coming', 0)`); err != nil {
		t.Fatal(err)
	}
	done := m.must()
	if !done.Completed {
		t.Error("it began anew")
	}
	m.same()
	if err := openTarget(t, m.to).CheckHome(t.Context()); err != nil {
		t.Error(err)
	}
}

// The error names a row that another client has changed.
func TestMove_DifferenceIsNamed(t *testing.T) {
	t.Parallel()
	m := newMoving(t, pgtest.Migrated(t))
	m.must()
	if _, err := m.postgres().Exec(t.Context(), `INSERT INTO move (id, state, until) VALUES (1, 'coming', 0); UPDATE throttle SET attempts = 1 WHERE key <> ''`); err != nil {
		t.Fatal(err)
	}
	_, err := m.move()
	if want := `the table throttle is not the same on both sides, first at the row key "ü`; err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("%v, want %s", err, want)
	}
	if err := openTarget(t, m.to).CheckHome(t.Context()); !errors.Is(err, store.ErrComing) {
		t.Errorf("the target can be served: %v", err)
	}
}

// The target changes a value: of a row in the snapshot, and of a row that was
// written later. The move must notice.
func TestMove_TargetChangesValues(t *testing.T) {
	t.Parallel()
	for key, step := range map[string]string{"": "compare", "late": "switch"} {
		m := newMoving(t, pgtest.Migrated(t))
		_, err := m.postgres().Exec(t.Context(), `CREATE FUNCTION spoil() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN NEW.attempts := NEW.attempts + 1; RETURN NEW; END $$;
			CREATE TRIGGER spoil BEFORE INSERT ON throttle FOR EACH ROW WHEN (NEW.key = '`+key+`') EXECUTE FUNCTION spoil()`)
		if err != nil {
			t.Fatal(err)
		}
		last := ""
		m.report = func(now, table string) {
			if last = now; now == "switch" && table == "" {
				m.change(`INSERT INTO throttle (key, attempts, last_at, forget_at) VALUES ('late', 1, 0, 0)`)
			}
		}
		_, err = m.move()
		if want := fmt.Sprintf("the table throttle is not the same on both sides, first at the row key %q", key); err == nil || !strings.Contains(err.Error(), want) || last != step {
			t.Errorf("at %q: %v, want %s in the step %q", last, err, want, step)
		}
		m.stays()
	}
}

func TestMove_DryRun(t *testing.T) {
	t.Parallel()
	m := newMoving(t, pgtest.Empty(t))
	done, err := move.Run(t.Context(), m.from(), m.to, move.Options{DryRun: true})
	if err != nil || !slices.Contains(done.Tables, move.TableRows{Name: "session", Rows: 2}) {
		t.Errorf("%+v (%v)", done, err)
	}
	m.stays()
	var tables int
	if err := m.postgres().QueryRow(t.Context(), `SELECT COUNT(*) FROM pg_tables WHERE schemaname = 'public'`).Scan(&tables); err != nil || tables != 0 {
		t.Errorf("%d tables were made (%v)", tables, err)
	}
}

// The way back is to restore the SQLite file.
func TestMove_WayBack(t *testing.T) {
	t.Parallel()
	m := newMoving(t, pgtest.Empty(t))
	m.must()
	path := filepath.Join(t.TempDir(), "back.db")
	if _, err := store.Restore(t.Context(), "sqlite:"+path, m.path, false, func(*store.Store) error { return nil }); err != nil {
		t.Fatal(err)
	}
	back := sqlitetest.OpenAt(t, path)
	err := back.Write(t.Context(), func(*store.Tx) error { return nil })
	if err = errors.Join(err, back.CheckHome(t.Context())); err != nil {
		t.Error(err)
	}
}
