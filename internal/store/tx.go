package store

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"sync"
)

// Tx runs the operations of the rooms: inside one transaction when it comes
// from Write, each statement on its own when it comes from Read. It is not
// safe for concurrent use and ends with the function it was given to.
type Tx struct {
	q          preparer
	statements *statements
}

type preparer interface {
	PrepareContext(ctx context.Context, query string) (*sql.Stmt, error)
}

// exec runs a statement and returns the number of rows that it changed.
func (t *Tx) exec(ctx context.Context, query string, args ...any) (int64, error) {
	stmt, err := t.statements.get(ctx, t.q, query, len(args))
	if err != nil {
		return 0, err
	}
	res, err := stmt.ExecContext(ctx, args...)
	if err != nil {
		return 0, err
	}
	return res.RowsAffected()
}

// first scans the first row of a query and reports whether there was one.
func first[T any](ctx context.Context, t *Tx, query string, args []any, scan func(row scanner) (T, error)) (T, bool, error) {
	var none T
	stmt, err := t.statements.get(ctx, t.q, query, len(args))
	if err != nil {
		return none, false, err
	}
	item, err := scan(stmt.QueryRowContext(ctx, args...))
	switch {
	case errors.Is(err, sql.ErrNoRows):
		return none, false, nil
	case err != nil:
		return none, false, err
	}
	return item, true, nil
}

// rows returns the rows of a query; the caller closes them.
func (t *Tx) rows(ctx context.Context, query string, args ...any) (*sql.Rows, error) {
	stmt, err := t.statements.get(ctx, t.q, query, len(args))
	if err != nil {
		return nil, err
	}
	return stmt.QueryContext(ctx, args...)
}

// collect scans every row of a query with scan.
func collect[T any](ctx context.Context, t *Tx, query string, args []any, scan func(row scanner) (T, error)) ([]T, error) {
	rows, err := t.rows(ctx, query, args...)
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

type scanner interface{ Scan(dest ...any) error }

// statements keeps each SQL text prepared, per connection pool.
type statements struct {
	mu   sync.RWMutex
	open map[statementKey]prepared
}

type prepared struct {
	*sql.Stmt
	values int // that it takes
}

type statementKey struct {
	q     preparer
	query string
}

// get returns the prepared statement of a query that is given so many values.
// The count is checked here: SQLite takes a value that is missing as NULL.
func (s *statements) get(ctx context.Context, q preparer, query string, values int) (*sql.Stmt, error) {
	stmt, err := s.prepare(ctx, q, query)
	if err == nil && stmt.values != values {
		return nil, fmt.Errorf("the statement takes %d values and was given %d: %s", stmt.values, values, query)
	}
	return stmt.Stmt, err
}

func (s *statements) prepare(ctx context.Context, q preparer, query string) (prepared, error) {
	key := statementKey{q, query}
	s.mu.RLock()
	known, ok := s.open[key]
	s.mu.RUnlock()
	if ok {
		return known, nil
	}
	// Numbered placeholders stay numbered: SQLite would bind $2 before $1 by
	// the order in which they appear, ?2 by its number.
	stmt, err := q.PrepareContext(ctx, strings.ReplaceAll(query, "$", "?"))
	if err != nil {
		return prepared{}, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if other, ok := s.open[key]; ok {
		_ = stmt.Close()
		return other, nil
	}
	if s.open == nil {
		s.open = make(map[statementKey]prepared)
	}
	fresh := prepared{stmt, placeholders(query)}
	s.open[key] = fresh
	return fresh, nil
}

// placeholders returns the highest N of the $N in a query.
func placeholders(query string) int {
	highest := 0
	for _, part := range strings.Split(query, "$")[1:] {
		end := strings.IndexFunc(part+" ", func(r rune) bool { return r < '0' || r > '9' })
		n, _ := strconv.Atoi(part[:end])
		highest = max(highest, n)
	}
	return highest
}

func (s *statements) close() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, stmt := range s.open {
		_ = stmt.Close()
	}
	s.open = nil
}

// list and unlist turn a list of words into JSON text and back.
func list(words []string) string {
	if len(words) == 0 {
		return "[]"
	}
	b, _ := json.Marshal(words) // strings always marshal
	return string(b)
}

func unlist(text string) ([]string, error) {
	var words []string
	err := json.Unmarshal([]byte(text), &words)
	return words, err
}
