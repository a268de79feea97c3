package move

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5"

	"portico/internal/outbox"
	"portico/internal/store/engine"
	"portico/internal/store/sqlite"
)

const (
	mailLease = outbox.Lease
	moveTable = "move"
)

// ownTables are the tables of an engine and of the move itself. All others are
// moved.
func ownTables() []string {
	return []string{engine.VersionTable, "commit_key", moveTable, sqlite.JournalTable}
}

// table is a table to move, as the source has it.
type table struct {
	name    string
	columns []column
	parents []reference
}

// reference is a foreign key: the columns hold the primary key of the parent.
type reference struct {
	parent  string
	columns []string
}

// column is one column; key is its place in the primary key, from 1, or 0.
type column struct {
	name, kind string
	key        int
}

// fits refuses a value that the column of the same name on PostgreSQL cannot
// keep as it is.
func (c column) fits(value any) error {
	ok := false
	switch v := value.(type) {
	case nil:
		return nil
	case string:
		if ok = c.kind == "text"; ok && !engine.Storable(v) {
			return engine.ErrText
		}
	case int64:
		ok = c.kind == "bigint"
	case []byte:
		ok = c.kind == "bytea"
	}
	if !ok {
		return fmt.Errorf("a value of the type %T does not fit into the type %s", value, c.kind)
	}
	return nil
}

func quote(name string) string { return pgx.Identifier{name}.Sanitize() }

func (t table) names() []string {
	names := make([]string, 0, len(t.columns))
	for _, c := range t.columns {
		names = append(names, c.name)
	}
	return names
}

// keys returns the places of the columns of the primary key, in its order.
func (t table) keys() []int {
	var places []int
	for i, c := range t.columns {
		if c.key > 0 {
			places = append(places, i)
		}
	}
	slices.SortFunc(places, func(a, b int) int { return t.columns[a].key - t.columns[b].key })
	return places
}

func (t table) selectAll() string {
	return `SELECT ` + quoteAll(t.names()) + ` FROM ` + quote(t.name)
}

// orderBy sorts by the bytes of the keys, which for texts an engine may have to
// be told.
func (t table) orderBy(collate string) string {
	var by []string
	for _, i := range t.keys() {
		c := t.columns[i]
		text := quote(c.name)
		if c.kind == "text" {
			text += collate
		}
		by = append(by, text)
	}
	return ` ORDER BY ` + strings.Join(by, ", ")
}

// deleteOne and selectOne take the values of a key.
func (t table) deleteOne() string {
	return `DELETE FROM ` + quote(t.name) + whereAll(t.keyNames(), "$")
}

func (t table) selectOne(mark string) string { return t.selectAll() + whereAll(t.keyNames(), mark) }

// selectKeys takes the key of a parent, and yields the keys of its rows here.
func (t table) selectKeys(r reference) string {
	return `SELECT ` + quoteAll(t.keyNames()) + ` FROM ` + quote(t.name) + whereAll(r.columns, "?")
}

func whereAll(columns []string, mark string) string {
	var where []string
	for n, name := range columns {
		where = append(where, fmt.Sprintf("%s = %s%d", quote(name), mark, n+1))
	}
	return ` WHERE ` + strings.Join(where, " AND ")
}

func quoteAll(names []string) string {
	quoted := make([]string, 0, len(names))
	for _, name := range names {
		quoted = append(quoted, quote(name))
	}
	return strings.Join(quoted, ", ")
}

func (t table) keyNames() []string {
	var names []string
	for _, i := range t.keys() {
		names = append(names, t.columns[i].name)
	}
	return names
}

func (t table) keyOf(row []any) []any {
	var key []any
	for _, i := range t.keys() {
		key = append(key, row[i])
	}
	return key
}

// compareKeys orders two rows by their keys. A missing row comes last.
func (t table) compareKeys(a, b []any) int {
	switch {
	case a == nil:
		return 1
	case b == nil:
		return -1
	}
	for _, i := range t.keys() {
		if order := compareValues(a[i], b[i]); order != 0 {
			return order
		}
	}
	return 0
}

// keyWords names a row only by its key.
func (t table) keyWords(row []any) string {
	var words []string
	for _, i := range t.keys() {
		words = append(words, fmt.Sprintf("%s %q", t.columns[i].name, fmt.Sprint(row[i])))
	}
	return strings.Join(words, ", ")
}

// sqliteTables returns the tables of the source, each after the tables that it
// refers to.
func sqliteTables(ctx context.Context, db *sql.DB) ([]table, error) {
	var all []table
	err := each(ctx, db, `PRAGMA table_list`, func(row engine.Scanner) error {
		var schema, name, kind string
		var columns, withoutRowid, strict int
		err := row.Scan(&schema, &name, &kind, &columns, &withoutRowid, &strict)
		if schema == "main" && kind == "table" && !strings.HasPrefix(name, "sqlite_") && !slices.Contains(ownTables(), name) {
			all = append(all, table{name: name})
		}
		return err
	})
	for i := range all {
		err = errors.Join(err, all[i].describe(ctx, db))
	}
	if err != nil {
		return nil, err
	}
	slices.SortFunc(all, func(a, b table) int { return strings.Compare(a.name, b.name) })
	return parentsFirst(all)
}

func (t *table) describe(ctx context.Context, db *sql.DB) error {
	err := each(ctx, db, `PRAGMA table_info(`+quote(t.name)+`)`, func(row engine.Scanner) error {
		var c column
		var place, notNull int
		var other any
		err := row.Scan(&place, &c.name, &c.kind, &notNull, &other, &c.key)
		c.kind = strings.ToLower(c.kind)
		t.columns = append(t.columns, c)
		return err
	})
	if err == nil && len(t.keys()) == 0 {
		err = fmt.Errorf("the table %s has no primary key: its rows cannot be compared", t.name)
	}
	return errors.Join(err, each(ctx, db, `PRAGMA foreign_key_list(`+quote(t.name)+`)`, func(row engine.Scanner) error {
		var id, place int
		var parent, column string
		var other any
		err := row.Scan(&id, &place, &parent, &column, &other, &other, &other, &other)
		if place == 0 {
			t.parents = append(t.parents, reference{parent: parent})
		}
		last := &t.parents[len(t.parents)-1]
		last.columns = append(last.columns, column)
		return err
	}))
}

func each(ctx context.Context, db *sql.DB, query string, do func(engine.Scanner) error) error {
	rows, err := db.QueryContext(ctx, query)
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
		if err := do(rows); err != nil {
			return err
		}
	}
	return rows.Err()
}

func parentsFirst(all []table) ([]table, error) {
	var ordered []table
	placed := map[string]bool{}
	for len(ordered) < len(all) {
		before := len(ordered)
		for _, t := range all {
			waits := slices.ContainsFunc(t.parents, func(r reference) bool { return !placed[r.parent] })
			if !placed[t.name] && !waits {
				placed[t.name] = true
				ordered = append(ordered, t)
			}
		}
		if len(ordered) == before {
			return nil, errors.New("the tables refer to themselves or to each other in a circle")
		}
	}
	return ordered, nil
}

// commonTables returns the tables of the source if the target has the same
// ones.
func (v *transfer) commonTables(ctx context.Context) ([]table, error) {
	have, err := sqliteTables(ctx, v.file.Reader())
	if err != nil {
		return nil, v.file.Explain(err)
	}
	there, err := postgresTables(ctx, v.conn)
	if err != nil {
		return nil, err
	}
	return have, sameTables(have, there)
}

// sameTables refuses columns that only one side has.
func sameTables(have, there []table) error {
	lines := func(all []table) []string {
		var lines []string
		for _, t := range all {
			for _, c := range t.columns {
				lines = append(lines, fmt.Sprintf("%s.%s %s", t.name, c.name, c.kind))
			}
		}
		return lines
	}
	ours, theirs := lines(have), lines(there)
	for _, line := range slices.Concat(ours, theirs) {
		if !slices.Contains(ours, line) || !slices.Contains(theirs, line) {
			return fmt.Errorf("only one side has the column %s: does one of the databases contain something else?", line)
		}
	}
	return nil
}
