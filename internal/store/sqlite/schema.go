package sqlite

import (
	"context"
	"slices"
	"strings"
)

// Object is a table, an index, a trigger or a view, with the statement that made
// it. White space in the statement is folded.
type Object struct{ Kind, Name, Table, Statement string }

// Objects returns the schema. It leaves out what SQLite makes by itself: indexes
// of constraints, which have no statement, and statistics.
func (s *DB) Objects(ctx context.Context) (objects []Object, err error) {
	rows, err := s.reader.QueryContext(ctx, `SELECT type, name, tbl_name, coalesce(sql, '') FROM sqlite_schema ORDER BY type, name`)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	for rows.Next() {
		var o Object
		if err := rows.Scan(&o.Kind, &o.Name, &o.Table, &o.Statement); err != nil {
			return nil, err
		}
		ofConstraint := o.Kind == "index" && o.Statement == ""
		statistics := o.Kind == "table" && slices.Contains([]string{"sqlite_sequence", "sqlite_stat1", "sqlite_stat4"}, o.Name)
		if ofConstraint || statistics {
			continue
		}
		o.Statement = strings.Join(strings.Fields(o.Statement), " ")
		objects = append(objects, o)
	}
	return objects, rows.Err()
}
