package move

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strings"

	"portico/internal/store/sqlite"
)

// journal is the place up to which a move has read the journal table.
type journal struct {
	width  int   // number of columns for keys
	schema int64 // of the source when the triggers were made; they exist while it is the same
	place  int64 // of the last key whose row the target has
}

// keepJournal creates a new journal in the open transaction.
func (v *transfer) keepJournal(ctx context.Context) error {
	for _, t := range v.tables {
		v.journal.width = max(v.journal.width, len(t.keys()))
	}
	tx, done := sqlite.TxOn(v.from)
	defer done()
	if err := sqlite.DropJournal(ctx, tx); err != nil {
		return err
	}
	queries := []string{`CREATE TABLE ` + sqlite.JournalTable + ` (place INTEGER PRIMARY KEY, name TEXT NOT NULL, ` + v.journal.columns() + `)`}
	for _, t := range v.tables {
		queries = append(queries, t.triggers()...)
	}
	for _, query := range queries {
		if _, err := tx.Exec(ctx, query); err != nil {
			return err
		}
	}
	if err := v.from.QueryRowContext(ctx, `PRAGMA schema_version`).Scan(&v.journal.schema); err != nil {
		return err
	}
	_, err := tx.Exec(ctx, "COMMIT")
	return err
}

// columns names the columns for keys. They have no type, so each value stays as
// it is.
func (j journal) columns() string {
	var names []string
	for n := range j.width {
		names = append(names, fmt.Sprintf("k%d", n+1))
	}
	return strings.Join(names, ", ")
}

// triggers note every row that is added, changed or deleted.
func (t table) triggers() []string {
	columns := (journal{width: len(t.keys())}).columns()
	note := func(row string) string {
		var values []string
		for _, name := range t.keyNames() {
			values = append(values, row+"."+quote(name))
		}
		return fmt.Sprintf("INSERT INTO %s (name, %s) VALUES (%s, %s);", sqlite.JournalTable, columns, literal(t.name), strings.Join(values, ", "))
	}
	var queries []string
	for event, notes := range map[string]string{"insert": note("NEW"), "update": note("OLD") + " " + note("NEW"), "delete": note("OLD")} {
		queries = append(queries, fmt.Sprintf("CREATE TRIGGER %s AFTER %s ON %s BEGIN %s END",
			quote(sqlite.JournalTable+"_"+t.name+"_"+event), event, quote(t.name), notes))
	}
	return queries
}

func literal(text string) string { return "'" + strings.ReplaceAll(text, "'", "''") + "'" }

// end returns the place of the last key that was noted.
func (j journal) end(ctx context.Context, from *sql.Conn) (place int64, err error) {
	err = from.QueryRowContext(ctx, `SELECT COALESCE(MAX(place), 0) FROM `+sqlite.JournalTable).Scan(&place)
	return place, err
}

// read returns the keys that were noted since the place, and the new place.
func (j journal) read(ctx context.Context, from *sql.Conn, tables []table) (changes, int64, error) {
	var schema int64
	if err := from.QueryRowContext(ctx, `PRAGMA schema_version`).Scan(&schema); err != nil {
		return nil, 0, err
	}
	if schema != j.schema {
		return nil, 0, errors.New("the schema of the SQLite database was changed while it was moved, by a migration or a tool: run the move again")
	}
	place, err := j.end(ctx, from)
	if err != nil {
		return nil, 0, err
	}
	noted := changes{}
	for _, t := range tables {
		columns := (journal{width: len(t.keys())}).columns()
		_, err := noted.addAll(ctx, from, t, `SELECT DISTINCT `+columns+` FROM `+sqlite.JournalTable+` WHERE name = ?1 AND place > ?2`, t.name, j.place)
		if err != nil {
			return nil, 0, err
		}
	}
	return noted, place, nil
}
