package store_test

import (
	"database/sql"
	"strings"
	"testing"
	"time"

	"portico/internal/clock"
	"portico/internal/store"
	"portico/internal/webhook"
)

// insertDeliveries makes deliveries of the webhook h, with the numbers from one to another. The expressions of a row may
// have its number, i.
func insertDeliveries(t *testing.T, db *sql.DB, from, to int, account, state, due, failures, ended string) {
	t.Helper()
	execute(t, db, `INSERT INTO webhook_delivery (id, webhook, account_id, seq, type, change, actor, at, state, due_at, until_at, claims, failures, status, answer, tried_at, ended_at)
		WITH RECURSIVE n (i) AS (SELECT $1 + 0 UNION ALL SELECT i + 1 FROM n WHERE i < $2)
		SELECT 'msg_' || i, 'h', `+account+`, 1, 't', 'c', 'self', i, '`+state+`', `+due+`, 9, 0, `+failures+`, 0, '', 0, `+ended+` FROM n`, from, to)
}

// A retry reads what was dropped, not the log of a week, and has few enough statements to end in time.
func TestRetry_ReadsWhatWasDropped(t *testing.T) {
	t.Parallel()
	onBoth(t, newest, func(t *testing.T, s *store.Store, db *sql.DB) {
		const dropped, most = 60, 103 // two statements for each of 50, and those that read and commit
		insertDeliveries(t, db, 1, 3000, "'a' || i", "delivered", "1", "0", "i")
		insertDeliveries(t, db, 3001, 3000+dropped, "'a' || i", "dropped", "1", "9", "i")
		explain := "EXPLAIN QUERY PLAN "
		if s.Shared() {
			execute(t, db, "ANALYZE webhook_delivery")
			explain = "EXPLAIN "
		}
		q := webhook.NewQueue([]webhook.Hook{{Name: "h"}}, clock.System{}, webhook.NewRunner(webhook.RunnerConfig{}))
		total, args := 0, []any{"h", 50}
		for r := (webhook.Retried{More: true}); r.More; args = []any{"h", 50, r.Before.UnixMicro()} {
			recorded, texts := s.Recorded()
			before := r.Before
			if err := recorded.Write(t.Context(), func(tx *store.Tx) (err error) {
				r, err = q.Retry(t.Context(), tx, "h", "", before)
				return err
			}); err != nil {
				t.Fatal(err)
			}
			total += r.Queued
			all := texts()
			if len(all) > most {
				t.Errorf("%d statements, want at most %d", len(all), most)
			}
			if steps := lastColumn(t, db, explain+all[0], args...); !strings.Contains(steps, "webhook_delivery_dropped") {
				t.Errorf("the plan of %s is\n%s", all[0], steps)
			}
		}
		if total != dropped {
			t.Errorf("%d are sent again, want %d", total, dropped)
		}
	})
}

// What the settings have is not read to find what they do not have.
func TestForget_ReadsTheNames(t *testing.T) {
	t.Parallel()
	onBoth(t, newest, func(t *testing.T, s *store.Store, db *sql.DB) {
		insertDeliveries(t, db, 1, 3000, "'a' || i", "delivered", "1", "0", "i")
		explain := "EXPLAIN QUERY PLAN "
		if s.Shared() {
			execute(t, db, "ANALYZE webhook_delivery")
			explain = "EXPLAIN "
		}
		recorded, texts := s.Recorded()
		if err := recorded.Write(t.Context(), func(tx *store.Tx) error {
			n, err := tx.ForgetDeliveries(t.Context(), []string{"h"}, time.Now(), 10)
			if n > 0 {
				t.Errorf("%d are forgotten", n)
			}
			return err
		}); err != nil {
			t.Fatal(err)
		}
		all := texts()
		if strings.HasPrefix(all[0], "DELETE") {
			t.Fatal("names that are known are looked for in all deliveries")
		}
		if steps := lastColumn(t, db, explain+all[0]); strings.Contains(steps, "Seq Scan") || strings.Contains(steps, "SCAN webhook_delivery") {
			t.Errorf("the plan is\n%s", steps)
		}
	})
}

// lastColumn returns the last column of a result, one line for each row.
func lastColumn(t *testing.T, db *sql.DB, query string, args ...any) string {
	t.Helper()
	rows, err := db.QueryContext(t.Context(), query, args...)
	if err != nil {
		t.Fatalf("%s: %v", query, err)
	}
	defer rows.Close()
	var lines []string
	for rows.Next() {
		columns, _ := rows.Columns()
		values := make([]any, len(columns))
		for n := range values {
			values[n] = new(any)
		}
		line := new(string)
		values[len(values)-1] = line
		if err := rows.Scan(values...); err != nil {
			t.Fatal(err)
		}
		lines = append(lines, *line)
	}
	return strings.Join(lines, "\n")
}

// More events wait than are counted, those of old accounts first. The oldest one, which alone has failed, is of a new account.
func TestCountDeliveries_SeesTheFailedOne(t *testing.T) {
	t.Parallel()
	onBoth(t, newest, func(t *testing.T, s *store.Store, db *sql.DB) {
		insertDeliveries(t, db, 2, webhook.MostCounted+2, "'a' || i", "waiting", "i", "0", "0")
		insertDeliveries(t, db, 1, 1, "'z'", "waiting", "1000000", "1", "0")
		want := webhook.Counts{Waiting: webhook.MostCounted, Oldest: time.UnixMicro(1).UTC(), Failing: time.UnixMicro(1).UTC()}
		err := s.Read(t.Context(), func(tx *store.Tx) error {
			got, err := tx.CountDeliveries(t.Context(), "h", webhook.MostCounted)
			if got != want {
				t.Errorf("counted %+v, want %+v", got, want)
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	})
}
