package move

import (
	"bytes"
	"cmp"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strings"

	"github.com/jackc/pgx/v5"
)

var errDiffers = errors.New("is not the same on both sides")

// differs returns an error that names the row that differs. A missing row is
// nil.
func (t table) differs(a, b []any) error {
	row := b
	if t.compareKeys(a, b) <= 0 {
		row = a
	}
	return fmt.Errorf("the table %s %w, first at the row %s", t.name, errDiffers, t.keyWords(row))
}

// compareAll compares every value of every row of both sides.
func (v *transfer) compareAll(ctx context.Context) error {
	for _, t := range v.tables {
		if err := v.compare(ctx, t); err != nil {
			return v.file.Explain(err)
		}
	}
	return nil
}

// compare walks both sides in the order of their keys and stops at the first
// row that differs.
func (v *transfer) compare(ctx context.Context, t table) error {
	list, err := v.from.QueryContext(ctx, t.selectAll()+t.orderBy(""))
	if err != nil {
		return err
	}
	defer list.Close()
	found, err := v.to.Query(ctx, t.selectAll()+t.orderBy(` COLLATE "C"`))
	if err != nil {
		return err
	}
	defer found.Close()
	have := &sqliteRows{Rows: list, table: t, report: func(n int64) { v.options.Report("compare", t.name, n) }}
	got := &targetRows{found}
	for {
		a, err := have.next()
		if err != nil {
			return err
		}
		b, err := got.next()
		if err != nil || a == nil && b == nil {
			return err
		}
		if !equalRows(a, b) {
			return t.differs(a, b)
		}
	}
}

// sqliteRows are rows of the source, in the form that PostgreSQL stores.
type sqliteRows struct {
	*sql.Rows
	table  table
	report func(int64)
	count  int64
	row    []any
	err    error
}

const reportEach = 10_000

// Next, Values and Err implement pgx.CopyFromSource.
func (r *sqliteRows) Next() bool {
	r.row, r.err = r.next()
	return r.row != nil && r.err == nil
}

func (r *sqliteRows) Values() ([]any, error) { return r.row, nil }

func (r *sqliteRows) Err() error { return errors.Join(r.err, r.Rows.Err()) }

func (r *sqliteRows) next() ([]any, error) {
	if r.count%reportEach == 0 {
		r.report(r.count)
	}
	if !r.Rows.Next() {
		return nil, r.Rows.Err()
	}
	r.count++
	row := make([]any, len(r.table.columns))
	into := make([]any, len(row))
	for i := range row {
		into[i] = &row[i]
	}
	if err := r.Scan(into...); err != nil {
		return nil, err
	}
	for i, c := range r.table.columns {
		if err := c.fits(row[i]); err != nil {
			return nil, fmt.Errorf("the row %s, column %s: %w", r.table.keyWords(row), c.name, err)
		}
	}
	return row, nil
}

type targetRows struct{ pgx.Rows }

func (r *targetRows) next() ([]any, error) {
	if !r.Rows.Next() {
		return nil, r.Rows.Err()
	}
	return r.Values()
}

// equalRows compares all values of two rows. A missing row is nil.
func equalRows(a, b []any) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if (a[i] == nil) != (b[i] == nil) || compareValues(a[i], b[i]) != 0 {
			return false
		}
	}
	return true
}

// compareValues orders two values of one column as both engines do: texts and
// bytes bytewise, numbers by size, and NULL first. No key is NULL.
func compareValues(a, b any) int {
	switch a := a.(type) {
	case string:
		if b, ok := b.(string); ok {
			return strings.Compare(a, b)
		}
	case int64:
		if b, ok := b.(int64); ok {
			return cmp.Compare(a, b)
		}
	case []byte:
		if b, ok := b.([]byte); ok {
			return bytes.Compare(a, b)
		}
	case nil:
		if b == nil {
			return 0
		}
		return -1
	}
	return 1
}
