package store_test

import (
	"fmt"
	"regexp"
	"slices"
	"testing"

	"github.com/jackc/pgx/v5"
)

// planned is a step of a plan of PostgreSQL, with the steps that it reads from.
type planned struct {
	Kind      string `json:"Node Type"`
	Table     string `json:"Relation Name"`
	Index     string `json:"Index Name"`
	Condition string `json:"Index Cond"`
	Plans     []planned
}

// wholes returns the steps that read a whole table or a whole index. leading has the first
// column of each index: a condition on another column alone reads the whole index. The reads
// that are meant to are the same as in scans.
func (p planned) wholes(leading map[string]string) (list []string) {
	small := []string{"revocation", "node", "revocation_pkey", "node_pkey", "outbox_lane", "outbox_dead"}
	switch {
	case p.Kind == "Seq Scan" && !slices.Contains(small, p.Table):
		list = append(list, "it reads the whole table "+p.Table)
	case p.Index != "" && !slices.Contains(small, p.Index) && !regexp.MustCompile(`\((\w+\.)?`+leading[p.Index]+`\b`).MatchString(p.Condition):
		list = append(list, fmt.Sprintf("it reads the whole index %s with the condition %q", p.Index, p.Condition))
	}
	for _, part := range p.Plans {
		list = append(list, part.wholes(leading)...)
	}
	return list
}

// leadingColumns returns the first column of each index.
func leadingColumns(t *testing.T, conn *pgx.Conn) map[string]string {
	t.Helper()
	rows, err := conn.Query(t.Context(), `SELECT c.relname, pg_get_indexdef(i.indexrelid, 1, true) FROM pg_index i
		JOIN pg_class c ON c.oid = i.indexrelid WHERE c.relnamespace = current_schema()::regnamespace`)
	if err != nil {
		t.Fatal(err)
	}
	leading := map[string]string{}
	var index, column string
	if _, err := pgx.ForEachRow(rows, []any{&index, &column}, func() error {
		leading[index] = column
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	return leading
}
