package store_test

import (
	"context"
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

// The cases share a few databases, one after the other: a new one takes longer than most cases.
func TestContract_Postgres(t *testing.T) {
	t.Parallel()
	free := make(chan emptied, 4)
	for range cap(free) {
		free <- newEmptied(t)
	}
	storetest.Run(t, func(t *testing.T) *store.Store {
		database := <-free
		t.Cleanup(func() { // after the store was closed
			if _, err := database.conn.Exec(context.Background(), database.empty); err != nil {
				t.Error(err)
			}
			free <- database
		})
		return openPostgres(t, database.url)
	})
}

// emptied is a database with the statements that delete all its rows but the list of migrations.
type emptied struct {
	url, empty string
	conn       *pgx.Conn
}

func newEmptied(t *testing.T) emptied {
	e := emptied{url: pgtest.Migrated(t), empty: "SET session_replication_role = replica;"} // so that no row needs another one
	var err error
	if e.conn, err = pgx.Connect(t.Context(), pgtest.Plain(e.url)); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = e.conn.Close(context.Background()) })
	var deletes string
	if err := e.conn.QueryRow(t.Context(), `SELECT string_agg('DELETE FROM ' || tablename, ';') FROM pg_tables
		WHERE schemaname = current_schema() AND tablename NOT IN ('schema_version', 'audit_default')`).Scan(&deletes); err != nil {
		t.Fatal(err)
	}
	e.empty += deletes
	return e
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
