package engine

import (
	"context"
	"strings"
	"unicode/utf8"
)

// Runner runs statements: in a transaction, or each on its own.
type Runner interface {
	Exec(ctx context.Context, query string, args ...any) (int64, error)
	Query(ctx context.Context, query string, args ...any) (Rows, error)
}

// Rows is a result that is being read. Close may be called more than once. Err is
// final after Close.
type Rows interface {
	Scanner
	Next() bool
	Close() error
	Err() error
}

// Scanner reads the columns of one row.
type Scanner interface{ Scan(dest ...any) error }

// One scans a row of one column.
func One[T any](row Scanner) (v T, err error) {
	err = row.Scan(&v)
	return v, err
}

// Tx runs statements in one transaction when it comes from Write, and each on its
// own when it comes from Read. It is not safe for concurrent use.
type Tx struct {
	Runner
	Locks Locks
	Again func(err error) bool // whether a failed query may work now; nil: no
	After []func()             // to be called after the commit
}

// Committed calls the functions that waited for the commit.
func (t *Tx) Committed() {
	for _, fn := range t.After {
		fn()
	}
}

// mostReads is how often a query is tried.
const mostReads = 3

// retried runs a query until it succeeds or a retry cannot help.
func (t *Tx) retried(query func() error) error {
	for try := 1; ; try++ {
		err := query()
		if err == nil || t.Again == nil || try == mostReads || !t.Again(err) {
			return err
		}
	}
}

// First scans the first row of a query and reports whether there was one.
func First[T any](ctx context.Context, t *Tx, query string, args []any, scan func(row Scanner) (T, error)) (item T, found bool, err error) {
	err = t.retried(func() error {
		item, found, err = firstOnce(ctx, t, query, args, scan)
		return err
	})
	return item, found, err
}

func firstOnce[T any](ctx context.Context, t *Tx, query string, args []any, scan func(row Scanner) (T, error)) (item T, found bool, err error) {
	rows, err := t.Query(ctx, query, args...)
	if err != nil {
		return item, false, err
	}
	defer rows.Close()
	if found = rows.Next(); found {
		if item, err = scan(rows); err != nil {
			return item, false, err
		}
	}
	_ = rows.Close()
	if err := rows.Err(); err != nil {
		var none T
		return none, false, err
	}
	return item, found, nil
}

// Collect scans every row of a query.
func Collect[T any](ctx context.Context, t *Tx, query string, args []any, scan func(row Scanner) (T, error)) (all []T, err error) {
	err = t.retried(func() error {
		all, err = collectOnce(ctx, t, query, args, scan)
		return err
	})
	return all, err
}

func collectOnce[T any](ctx context.Context, t *Tx, query string, args []any, scan func(row Scanner) (T, error)) ([]T, error) {
	rows, err := t.Query(ctx, query, args...)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	var list []T
	for rows.Next() {
		item, err := scan(rows)
		if err != nil {
			return nil, err
		}
		list = append(list, item)
	}
	return list, rows.Err()
}

// Bind prepares values for a driver. It stores nil bytes as empty bytes, because
// drivers differ in what they make of them, and returns ErrText for a text that
// cannot be stored.
func Bind(args []any) ([]any, error) {
	for i, arg := range args {
		switch v := arg.(type) {
		case []byte:
			if v == nil {
				args[i] = []byte{}
			}
		case string:
			if !Storable(v) {
				return nil, ErrText
			}
		}
	}
	return args, nil
}

// Storable reports whether both engines can keep a text.
func Storable(text string) bool { return utf8.ValidString(text) && strings.IndexByte(text, 0) < 0 }
