package store

import (
	"context"
	"encoding/json"
	"strings"

	"portico/internal/ids"
	"portico/internal/store/engine"
)

// Tx runs the operations of all packages. From Write, they run in one transaction;
// from Read, each statement runs on its own. It is not
// safe for concurrent use and ends with the function it was given to.
type Tx struct{ core *engine.Tx }

// AfterCommit implements outbox.Store.
func (t *Tx) AfterCommit(fn func()) { t.core.After = append(t.core.After, fn) }

// exec runs a statement and returns how many rows it has changed.
func (t *Tx) exec(ctx context.Context, query string, args ...any) (int64, error) {
	return t.core.Exec(ctx, query, args...)
}

// run runs a statement.
func (t *Tx) run(ctx context.Context, query string, args ...any) error {
	_, err := t.core.Exec(ctx, query, args...)
	return err
}

// one runs a statement and reports whether it has changed one row.
func (t *Tx) one(ctx context.Context, query string, args ...any) (bool, error) {
	n, err := t.core.Exec(ctx, query, args...)
	return n == 1, err
}

// scanner reads the columns of one row.
type scanner = engine.Scanner

// scanOne scans a row of one column.
func scanOne[T any](row scanner) (T, error) { return engine.One[T](row) }

// first scans the first row of a query and reports whether there was one.
func first[T any](ctx context.Context, t *Tx, query string, args []any, scan func(row scanner) (T, error)) (T, bool, error) {
	return engine.First(ctx, t.core, query, args, scan)
}

// only scans the row of a query that has one at most, and is zero without one.
func only[T any](ctx context.Context, t *Tx, query string, args []any, scan func(row scanner) (T, error)) (T, error) {
	v, _, err := first(ctx, t, query, args, scan)
	return v, err
}

// collect scans every row of a query.
func collect[T any](ctx context.Context, t *Tx, query string, args []any, scan func(row scanner) (T, error)) ([]T, error) {
	return engine.Collect(ctx, t.core, query, args, scan)
}

// afterAll comes after every id, in each collation. PostgreSQL may sort a tilde before letters.
var afterAll = strings.Repeat("z", ids.Length+1)

// list and unlist turn a list of words into JSON text and back.
func list(words []string) string {
	if len(words) == 0 {
		return "[]"
	}
	b, _ := json.Marshal(words) // strings always marshal
	return string(b)
}

func unlist(text string) ([]string, error) {
	if text == "[]" {
		return []string{}, nil // the common case, on the path of every session check
	}
	var words []string
	err := json.Unmarshal([]byte(text), &words)
	return words, err
}
