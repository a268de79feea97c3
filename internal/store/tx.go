package store

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"unicode/utf8"
)

// Tx runs the operations of the rooms: inside one transaction when it comes
// from Write, each statement on its own when it comes from Read. It is not
// safe for concurrent use and ends with the function it was given to.
type Tx struct {
	runner
	locks locks
	again func(err error) bool // whether a query that failed may work now; nil: no
	after []func()             // what waits for the commit
}

// AfterCommit implements outbox.Store.
func (t *Tx) AfterCommit(fn func()) { t.after = append(t.after, fn) }

// committed runs what waited for the commit.
func (t *Tx) committed() {
	for _, fn := range t.after {
		fn()
	}
}

// mostReads is how often a query is tried.
const mostReads = 3

// tried runs a query until it succeeds or is not worth another try.
func (t *Tx) tried(query func() error) error {
	for try := 1; ; try++ {
		err := query()
		if err == nil || t.again == nil || try == mostReads || !t.again(err) {
			return err
		}
	}
}

// first scans the first row of a query and reports whether there was one.
func first[T any](ctx context.Context, t *Tx, query string, args []any, scan func(row scanner) (T, error)) (item T, found bool, err error) {
	err = t.tried(func() error {
		item, found, err = firstOnce(ctx, t, query, args, scan)
		return err
	})
	return item, found, err
}

func firstOnce[T any](ctx context.Context, t *Tx, query string, args []any, scan func(row scanner) (T, error)) (item T, found bool, err error) {
	rows, err := t.query(ctx, query, args...)
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

// collect scans every row of a query with scan.
func collect[T any](ctx context.Context, t *Tx, query string, args []any, scan func(row scanner) (T, error)) (all []T, err error) {
	err = t.tried(func() error {
		all, err = collectOnce(ctx, t, query, args, scan)
		return err
	})
	return all, err
}

func collectOnce[T any](ctx context.Context, t *Tx, query string, args []any, scan func(row scanner) (T, error)) ([]T, error) {
	rows, err := t.query(ctx, query, args...)
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

// errText says that a text cannot be stored. PostgreSQL takes none that holds
// U+0000 or is not UTF-8, so SQLite must not either, or what is in it could not
// move.
var errText = errors.New("the text holds a zero byte, or is not UTF-8: no database keeps it")

// bind prepares values for a driver: bytes that are nil are stored as none,
// not as NULL, whatever the driver makes of them.
func bind(args []any) ([]any, error) {
	for i, arg := range args {
		switch v := arg.(type) {
		case []byte:
			if v == nil {
				args[i] = []byte{}
			}
		case string:
			if !storable(v) {
				return nil, errText
			}
		}
	}
	return args, nil
}

func storable(text string) bool { return utf8.ValidString(text) && strings.IndexByte(text, 0) < 0 }

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
		return []string{}, nil // as most are, and every session check that asks the database reads one
	}
	var words []string
	err := json.Unmarshal([]byte(text), &words)
	return words, err
}
