package store

import (
	"context"
	"strings"
)

// Queries returns every SQL text that a store on SQLite has prepared.
func (s *Store) Queries() []string {
	statements := &s.engine.(*sqlite).statements
	statements.mu.RLock()
	defer statements.mu.RUnlock()
	var texts []string
	for key := range statements.open {
		texts = append(texts, key.query)
	}
	return texts
}

// Plan returns how SQLite carries out a query, one line a step.
func (s *Store) Plan(ctx context.Context, query string) ([]string, error) {
	rows, err := s.engine.(*sqlite).reader.QueryContext(ctx, "EXPLAIN QUERY PLAN "+strings.ReplaceAll(query, "$", "?"), make([]any, placeholders(query))...)
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

// Path returns where the file is.
func (s *Store) Path() string { return s.engine.(*sqlite).path }
