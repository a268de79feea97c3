package sqlite

import (
	"context"
	"database/sql"
	"fmt"
	"strconv"
	"strings"
	"sync"

	"portico/internal/store/engine"
)

// runner runs statements on the connections that read, or on the one that
// writes.
type runner struct {
	q          preparer
	statements *statements
}

// TxOn returns a Tx that runs statements on a connection, in the transaction that
// the caller began there. The caller calls done at the end.
func TxOn(conn *sql.Conn) (tx *engine.Tx, done func()) {
	known := &statements{}
	return &engine.Tx{Runner: runner{conn, known}}, known.close
}

type preparer interface {
	PrepareContext(ctx context.Context, query string) (*sql.Stmt, error)
}

func (r runner) Exec(ctx context.Context, query string, args ...any) (int64, error) {
	stmt, err := r.statements.get(ctx, r.q, query, len(args))
	if err != nil {
		return 0, err
	}
	values, err := engine.Bind(args)
	if err != nil {
		return 0, err
	}
	res, err := stmt.ExecContext(ctx, values...)
	if err != nil {
		return 0, err
	}
	return res.RowsAffected()
}

func (r runner) Query(ctx context.Context, query string, args ...any) (engine.Rows, error) {
	stmt, err := r.statements.get(ctx, r.q, query, len(args))
	if err != nil {
		return nil, err
	}
	values, err := engine.Bind(args)
	if err != nil {
		return nil, err
	}
	return stmt.QueryContext(ctx, values...)
}

// unwatched runs statements to their end, whatever becomes of the caller. Watching a
// context takes database/sql a goroutine for each query.
type unwatched struct{ runner }

func (u unwatched) Exec(_ context.Context, query string, args ...any) (int64, error) {
	return u.runner.Exec(context.Background(), query, args...)
}

func (u unwatched) Query(_ context.Context, query string, args ...any) (engine.Rows, error) {
	return u.runner.Query(context.Background(), query, args...)
}

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

// get returns the prepared statement of a query. It checks the number of
// values, because SQLite takes a missing value as NULL.
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
	// Write ?2 for $2: SQLite binds $2 by the order of appearance, and ?2 by
	// its number.
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
