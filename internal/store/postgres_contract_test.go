package store_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"portico/internal/store"
	"portico/internal/store/pgtest"
	"portico/internal/store/storetest"
)

func openPostgres(t *testing.T, url string) *store.Store {
	t.Helper()
	s, err := store.Open(t.Context(), store.Config{URL: url})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	return s
}

func TestContract_Postgres(t *testing.T) {
	t.Parallel()
	storetest.Run(t, func(t *testing.T) *store.Store { return openPostgres(t, pgtest.Migrated(t)) })
}

// preparedByPostgres fails unless PostgreSQL accepts every text and reads no
// whole table or index for it. The tables are empty, so the ways to read large parts of
// them are made expensive.
func preparedByPostgres(t *testing.T, texts []string) {
	conn, err := pgx.Connect(t.Context(), pgtest.Plain(pgtest.Migrated(t)))
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(t.Context())
	if _, err := conn.Exec(t.Context(), "SET plan_cache_mode = force_generic_plan; SET enable_seqscan = off; SET enable_mergejoin = off; SET enable_hashjoin = off"); err != nil {
		t.Fatal(err)
	}
	leading := leadingColumns(t, conn)
	for n, text := range texts {
		if !sqlText.MatchString(text) {
			continue
		}
		name := fmt.Sprintf("statement_%d", n)
		if _, err := conn.Exec(t.Context(), "PREPARE "+name+" AS "+text); err != nil {
			t.Errorf("%v: %s", err, text)
			continue
		}
		values := ""
		if count := len(placeholder.FindAllString(text, -1)); count > 0 {
			highest := 0
			for _, match := range placeholder.FindAllString(text, -1) {
				var n int
				_, _ = fmt.Sscanf(match, "$%d", &n)
				highest = max(highest, n)
			}
			values = "(" + strings.TrimSuffix(strings.Repeat("NULL, ", highest), ", ") + ")"
		}
		var plans []struct{ Plan planned }
		if err := conn.QueryRow(t.Context(), "EXPLAIN (FORMAT JSON) EXECUTE "+name+values, pgx.QueryExecModeSimpleProtocol).Scan(&plans); err != nil {
			t.Errorf("%v: %s", err, text)
			continue
		}
		for _, p := range plans {
			for _, why := range p.Plan.wholes(leading) {
				t.Errorf("%s: %s", why, text)
			}
		}
	}
}
