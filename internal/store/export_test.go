package store

import (
	"context"
	"slices"
	"strconv"
	"strings"
	"sync"

	"portico/internal/store/engine"
	"portico/internal/store/sqlite"
)

// Path returns the path of the file.
func (s *Store) Path() string { return s.engine.(*sqlite.DB).Path() }

// Plan returns SQLite's plan of a query, one line for each step.
func (s *Store) Plan(ctx context.Context, query string) ([]string, error) {
	values := make([]any, placeholders(query))
	rows, err := s.engine.(*sqlite.DB).Reader().QueryContext(ctx, "EXPLAIN QUERY PLAN "+strings.ReplaceAll(query, "$", "?"), values...)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	var steps []string
	for rows.Next() {
		var id, parent, unused int
		var step string
		if err := rows.Scan(&id, &parent, &unused, &step); err != nil {
			return nil, err
		}
		steps = append(steps, step)
	}
	return steps, rows.Err()
}

// placeholders returns the highest N of the $N in a query.
func placeholders(query string) (highest int) {
	for n := 1; strings.Contains(query, "$"+strconv.Itoa(n)); n++ {
		highest = n
	}
	return highest
}

// Recorded returns a Store on the same engine, and a function that returns
// every SQL text of that Store.
func (s *Store) Recorded() (recorded *Store, texts func() []string) {
	r := &recorder{Engine: s.engine}
	return On(r), func() []string {
		r.mu.Lock()
		defer r.mu.Unlock()
		return slices.Clone(r.texts)
	}
}

type recorder struct {
	engine.Engine
	mu    sync.Mutex
	texts []string
}

func (r *recorder) Write(ctx context.Context, fn func(*engine.Tx) error) error {
	return r.Engine.Write(ctx, func(tx *engine.Tx) error {
		tx.Runner = recording{tx.Runner, r}
		return fn(tx)
	})
}

func (r *recorder) Read() *engine.Tx {
	tx := r.Engine.Read()
	tx.Runner = recording{tx.Runner, r}
	return tx
}

func (r *recorder) note(query string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.texts = append(r.texts, query)
}

type recording struct {
	engine.Runner
	recorder *recorder
}

func (r recording) Exec(ctx context.Context, query string, args ...any) (int64, error) {
	r.recorder.note(query)
	return r.Runner.Exec(ctx, query, args...)
}

func (r recording) Query(ctx context.Context, query string, args ...any) (engine.Rows, error) {
	r.recorder.note(query)
	return r.Runner.Query(ctx, query, args...)
}

// MigrateTo migrates an empty database to an earlier version of the schema.
func (s *Store) MigrateTo(ctx context.Context, version int64) error {
	p, err := s.provider()
	if err == nil {
		_, err = p.UpTo(ctx, version)
	}
	return err
}

// Tables returns the columns of each table.
func (s *Store) Tables(ctx context.Context) (map[string][]string, error) {
	rows, err := s.engine.(*sqlite.DB).Reader().QueryContext(ctx,
		`SELECT t.name, c.name FROM sqlite_schema t JOIN pragma_table_info(t.name) c WHERE t.type = 'table'`)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	tables := map[string][]string{}
	for rows.Next() {
		var table, column string
		if err := rows.Scan(&table, &column); err != nil {
			return nil, err
		}
		tables[table] = append(tables[table], column)
	}
	return tables, rows.Err()
}

// Personal returns the columns of each table of AccountData that are in the file,
// and the columns that are left out.
func Personal() (shown, leftOut map[string][]string) {
	shown, leftOut = map[string][]string{}, map[string][]string{}
	for _, p := range ownedTables {
		shown[p.name], leftOut[p.name] = strings.Split(p.columns, ", "), p.leftOut
	}
	return shown, leftOut
}
