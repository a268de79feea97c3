package store

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

// difference is what the target has too much and too little of one table. A row
// that was changed is both.
type difference struct {
	table    table
	rows     int64 // of the source
	surplus  [][]any
	wanting  [][]any
	firstKey string // in words, of the first row that differs
}

func (d *difference) empty() bool { return len(d.surplus) == 0 && len(d.wanting) == 0 }

func (d *difference) failure() error {
	return fmt.Errorf("the table %s is not the same on both sides, first at the row %s: something else writes to the PostgreSQL database: nothing was switched, the SQLite database is served as before", d.table.name, d.firstKey)
}

// compare walks both sides in the order of their keys and compares every value
// of every row.
func (v *move) compare(ctx context.Context, from *sql.Conn, to pgx.Tx, t table, step string) (d difference, err error) {
	d.table = t
	list, err := from.QueryContext(ctx, t.selectAll()+t.orderBy(""))
	if err != nil {
		return d, v.file.explain(err)
	}
	defer list.Close()
	found, err := to.Query(ctx, t.selectAll()+t.orderBy(` COLLATE "C"`))
	if err != nil {
		return d, err
	}
	defer found.Close()
	report := func(n int64) { v.options.Report(step, t.name, n) }
	have := &sqliteRows{Rows: list, table: t, report: report}
	if err := d.merge(have, &targetRows{found}); err != nil {
		return d, fmt.Errorf("compare the table %s: %w", t.name, v.file.explain(err))
	}
	d.rows = have.count
	return d, nil
}

// rowSource yields rows in the order of their keys; nil is the end.
type rowSource interface {
	next() ([]any, error)
}

func (d *difference) merge(have, got rowSource) error {
	a, err := have.next()
	if err != nil {
		return err
	}
	b, err := got.next()
	for err == nil && (a != nil || b != nil) {
		order := d.table.compareKeys(a, b)
		if order != 0 || !equalRows(a, b) {
			d.note(a, b, order)
		}
		if order <= 0 {
			if a, err = have.next(); err != nil {
				return err
			}
		}
		if order >= 0 {
			b, err = got.next()
		}
	}
	return err
}

func (d *difference) note(a, b []any, order int) {
	if d.firstKey == "" {
		d.firstKey = d.table.keyWords(cmp.Or(order, -1) < 0, a, b)
	}
	if order <= 0 {
		d.wanting = append(d.wanting, a)
	}
	if order >= 0 {
		d.surplus = append(d.surplus, d.table.keyOf(b))
	}
}

// apply deletes before it adds, so that a value that may be there once can go
// from one row to another. What is deleted with a row (ON DELETE CASCADE) is
// wanting when its own table is compared, after this one.
func (d *difference) apply(ctx context.Context, to pgx.Tx) error {
	const most = 1000 // statements on their way at once
	for start := 0; start < len(d.surplus); start += most {
		batch := &pgx.Batch{}
		for _, key := range d.surplus[start:min(start+most, len(d.surplus))] {
			batch.Queue(d.table.deleteOne(), key...)
		}
		if err := to.SendBatch(ctx, batch).Close(); err != nil {
			return fmt.Errorf("bring the table %s up to date: %w", d.table.name, err)
		}
	}
	if len(d.wanting) == 0 {
		return nil
	}
	if _, err := to.CopyFrom(ctx, pgx.Identifier{d.table.name}, d.table.names(), pgx.CopyFromRows(d.wanting)); err != nil {
		return fmt.Errorf("bring the table %s up to date: %w", d.table.name, err)
	}
	return nil
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
			return nil, fmt.Errorf("the row %s, column %s: %w", r.table.keyWords(true, row, nil), c.name, err)
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

func equalRows(a, b []any) bool {
	for i := range a {
		if (a[i] == nil) != (b[i] == nil) || compareValues(a[i], b[i]) != 0 {
			return false
		}
	}
	return true
}

// compareValues orders two values of one column as both engines do: texts and
// bytes by their bytes, numbers by size, and NULL, which no key is, first.
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
