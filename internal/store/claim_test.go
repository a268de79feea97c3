package store_test

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"portico/internal/outbox"
	"portico/internal/store"
	"portico/internal/store/pgtest"
	"portico/internal/webhook"
)

// With 1,000 emails due and one that somebody waits for, a claim reads those of its lane alone: their
// number delays neither the other lanes nor, on SQLite, all writers.
func TestClaimMessages_ReadsItsLaneAlone(t *testing.T) {
	t.Parallel()
	for name, plan := range map[string]func(t *testing.T) (*store.Store, func(text string) string){
		"sqlite": func(t *testing.T) (*store.Store, func(string) string) {
			s := migrated(t)
			return s, func(text string) string { return strings.Join(plan(t, s, text), "\n") }
		},
		"postgres": func(t *testing.T) (*store.Store, func(string) string) {
			url := pgtest.Migrated(t)
			return openPostgres(t, url), func(text string) string { return postgresPlan(t, url, text) }
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s, plan := plan(t)
			s, recorded := s.Recorded()
			now := time.Now()
			var crowd []outbox.Record
			for n := range 1000 {
				crowd = append(crowd, outbox.Record{ID: fmt.Sprint(n), Payload: []byte{1}, CreatedAt: now, DueAt: now.Add(-time.Hour)})
			}
			err := s.Write(t.Context(), func(tx *store.Tx) error {
				code := outbox.Record{ID: "code", Lane: outbox.Awaited, Payload: []byte{1}, CreatedAt: now, DueAt: now}
				return errors.Join(tx.InsertMessage(t.Context(), crowd...), tx.InsertMessage(t.Context(), code))
			})
			var claimed []outbox.Record
			if err == nil {
				err = s.Write(t.Context(), func(tx *store.Tx) (err error) {
					claimed, err = tx.ClaimMessages(t.Context(), outbox.Awaited, now, now.Add(time.Minute), 4)
					return err
				})
			}
			if err != nil || len(claimed) != 1 || claimed[0].ID != "code" {
				t.Errorf("claimed %v, %v", claimed, err)
			}
			texts := recorded()
			if n := len(slices.DeleteFunc(slices.Clone(texts), func(text string) bool { return !strings.HasPrefix(text, "INSERT INTO outbox") })); n > 11 {
				t.Errorf("%d statements insert 1000 messages and one", n) // the end of all sessions of a user is one transaction
			}
			steps := plan(texts[slices.IndexFunc(texts, func(text string) bool { return strings.HasPrefix(text, "WITH free AS (SELECT id FROM outbox") })])
			if !regexp.MustCompile(`outbox_lane \(lane=\? AND due_at<\?\)|outbox_lane.*\n.*Index Cond: \(\(lane = .* AND \(due_at <=`).MatchString(steps) {
				t.Errorf("the plan is\n%s", steps)
			}
		})
	}
}

// postgresPlan returns the plan of a claim for the rows that are there.
func postgresPlan(t *testing.T, url, text string) string {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), pgtest.Plain(url))
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(t.Context())
	for _, query := range []string{"ANALYZE outbox", "SET plan_cache_mode = force_generic_plan", "PREPARE claim AS " + text} {
		if _, err := conn.Exec(t.Context(), query); err != nil {
			t.Fatal(err)
		}
	}
	rows, err := conn.Query(t.Context(), "EXPLAIN EXECUTE claim (1, 2, 4, 1)", pgx.QueryExecModeSimpleProtocol)
	if err != nil {
		t.Fatal(err)
	}
	steps, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		t.Fatal(err)
	}
	return strings.Join(steps, "\n")
}

// A queue that had one row when PostgreSQL counted it last makes the server join it row by row.
func TestPostgres_ClaimsNoMoreThanAsked(t *testing.T) {
	t.Parallel()
	s, now := newShared(t), time.Now()
	add := func(from, to int) {
		t.Helper()
		if err := s.store.Write(t.Context(), func(tx *store.Tx) error {
			for n := from; n < to; n++ {
				id := fmt.Sprint(n)
				if err := tx.InsertMessage(t.Context(), outbox.Record{ID: id, DueAt: now}); err != nil {
					return err
				}
				if err := tx.InsertDelivery(t.Context(), webhook.Delivery{ID: id, Webhook: "w", Event: webhook.Event{AccountID: id}, DueAt: now}); err != nil {
					return err
				}
			}
			return nil
		}); err != nil {
			t.Fatal(err)
		}
	}
	add(0, 1)
	for _, table := range []string{"outbox", "webhook_delivery"} {
		if _, err := s.past().Exec(t.Context(), `VACUUM ANALYZE `+table); err != nil {
			t.Fatal(err)
		}
	}
	add(1, 30)
	var messages []outbox.Record
	var deliveries []webhook.Delivery
	err := s.store.Write(t.Context(), func(tx *store.Tx) (err error) {
		if messages, err = tx.ClaimMessages(t.Context(), outbox.Mail, now, now.Add(time.Minute), 3); err == nil {
			deliveries, err = tx.ClaimDeliveries(t.Context(), "w", now, now.Add(time.Minute), 3)
		}
		return err
	})
	if err != nil || len(messages) != 3 || len(deliveries) != 3 {
		t.Errorf("claimed %d messages and %d deliveries, want 3 of each (%v)", len(messages), len(deliveries), err)
	}
}

// A row that was renewed while the purge waited for it stays.
func TestPostgres_PurgeLeavesWhatWasRenewed(t *testing.T) {
	t.Parallel()
	s := newShared(t)
	if err := s.add("a"); err != nil {
		t.Fatal(err)
	}
	owner, look := s.past(), s.past()
	run := func(query string) {
		t.Helper()
		if _, err := owner.Exec(t.Context(), query); err != nil {
			t.Fatal(err)
		}
	}
	run(`INSERT INTO other_address SELECT id, 'm@x.test', 'm@x.test', 'other', 1, 1, 1 FROM account`)
	run(`BEGIN`)
	run(`UPDATE other_address SET expires_at = ` + fmt.Sprint(time.Now().Add(time.Hour).UnixMicro()))
	purged := make(chan error)
	go func() {
		var errs []error
		for _, k := range store.Purgeable(time.Now(), time.Time{}) {
			errs = append(errs, s.store.Write(t.Context(), func(tx *store.Tx) error {
				_, err := tx.Purge(t.Context(), k)
				return err
			}))
		}
		purged <- errors.Join(errs...)
	}()
	for waits := false; !waits; time.Sleep(time.Millisecond) {
		err := look.QueryRow(t.Context(), `SELECT EXISTS (SELECT 1 FROM pg_stat_activity WHERE datname = current_database()
			AND wait_event_type = 'Lock' AND query LIKE 'DELETE FROM other_address%')`).Scan(&waits)
		if err != nil {
			t.Fatal(err)
		}
	}
	run(`COMMIT`)
	if err := <-purged; err != nil || s.count(`SELECT count(*) FROM other_address`) != 1 {
		t.Errorf("the address is gone (%v)", err)
	}
}
