package move_test

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/ncruces/go-sqlite3"

	"portico/internal/store/move"
	"portico/internal/store/pgtest"
	"portico/internal/store/sqlitetest"
	"portico/internal/testform"
)

// Several connections write the same few rows all the time: they add, change,
// rename and delete, and unique values move between rows. After the switch,
// PostgreSQL has exactly the committed changes.
func TestMove_SameRowsFromAllSides(t *testing.T) {
	t.Parallel()
	m := newMoving(t, pgtest.Migrated(t))
	claim, err := m.source.Claim() // as a server
	if err != nil {
		t.Fatal(err)
	}
	defer claim.Close()
	var done, gone atomic.Int64
	const writers = 4
	m.report = func(step, table string) {
		if step == "switch" && table != "" {
			return // no more writes are possible
		}
		target := done.Load() + 2*writers
		for deadline := time.Now().Add(testform.Patience); done.Load() < target && gone.Load() == 0 && time.Now().Before(deadline); {
			time.Sleep(time.Millisecond)
		}
	}
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	var work sync.WaitGroup
	for n := range uint64(writers) {
		db, random := m.sqlite(), rand.New(rand.NewPCG(seed, n))
		db.SetMaxOpenConns(1)
		work.Go(func() {
			for t.Context().Err() == nil {
				moved, err := writeAtRandom(t.Context(), db, random)
				if err != nil {
					t.Error(err)
				}
				if moved || err != nil {
					gone.Add(1)
					return
				}
				done.Add(1)
				time.Sleep(time.Duration(random.IntN(2000)) * time.Microsecond)
			}
		})
	}
	m.must()
	work.Wait()
	m.same()
	m.noJournal()
	if gone.Load() != writers || done.Load() < 100 {
		t.Errorf("%d of %d writers met the end, after %d transactions", gone.Load(), writers, done.Load())
	}
	t.Logf("%d transactions", done.Load())
}

// randomWrites use few keys, so that writers conflict.
func randomWrites() []string {
	return []string{
		`INSERT OR IGNORE INTO account (id, address, address_key, name, state, roles, password, version, created_at, address_at, locale, flow_ends, terms, terms_at, factor_told_at, alarm_at, alarm_mail_at, alarm_address_at) VALUES (?1, 'a', ?2, '', 'active', '[]', ?3, 1, 0, 0, 'en', 0, '', 0, 0, 0, 0, 0)`,
		`UPDATE account SET address_key = ?2, version = version + 1 WHERE id = ?1`,
		`UPDATE OR IGNORE account SET id = ?2 WHERE id = ?1`,
		`DELETE FROM account WHERE id = ?1`,
		`INSERT INTO session (id, token_hash, account_id, version, methods, user_agent, created_at, authenticated_at, last_seen_at, expires_at, peer, strong_at) VALUES (?3, CAST(?3 AS BLOB), ?1, 1, '[]', '', 0, 0, 0, 1, '', 0) ON CONFLICT (id) DO UPDATE SET last_seen_at = last_seen_at + 1`,
		`UPDATE session SET account_id = ?2 WHERE account_id = ?1`,
		`UPDATE OR IGNORE session SET token_hash = CAST(?2 AS BLOB) WHERE account_id = ?1`,
		`INSERT INTO identity (issuer, subject, provider, account_id, created_at, tells_time) VALUES (?2, ?3, 'p', ?1, 0, 0) ON CONFLICT (issuer, subject) DO UPDATE SET created_at = created_at + 1`,
		`UPDATE OR IGNORE identity SET subject = ?3 WHERE account_id = ?1`,
		`INSERT INTO throttle (key, attempts, last_at, forget_at) VALUES (?1, 1, 0, 0) ON CONFLICT (key) DO UPDATE SET attempts = attempts + 1`,
		`DELETE FROM throttle WHERE key >= ?1`,
		`DELETE FROM session WHERE id >= ?1 AND id < 'l'`,
	}
}

// writeAtRandom runs one transaction, in which statements may fail. moved
// reports that the database has been given up.
func writeAtRandom(ctx context.Context, db *sql.DB, random *rand.Rand) (moved bool, err error) {
	conn, err := db.Conn(ctx)
	if err != nil {
		return false, err
	}
	defer conn.Close()
	if _, err := conn.ExecContext(ctx, `PRAGMA foreign_keys = 1; PRAGMA busy_timeout = 30000; BEGIN IMMEDIATE`); err != nil {
		return false, err
	}
	defer func() { _, _ = conn.ExecContext(ctx, `ROLLBACK`) }() // no effect after a commit
	err = conn.QueryRowContext(ctx, `SELECT EXISTS (SELECT 1 FROM move WHERE state = 'gone')`).Scan(&moved)
	if moved || err != nil {
		return moved, err
	}
	all := randomWrites()
	for range 1 + random.IntN(5) {
		query := all[random.IntN(len(all))]
		var keys []any
		for n := 1; strings.Contains(query, fmt.Sprint("?", n)); n++ {
			keys = append(keys, fmt.Sprint("k", random.IntN(8)))
		}
		_, err := conn.ExecContext(ctx, query, keys...)
		if err != nil && !errors.Is(err, sqlite3.CONSTRAINT) {
			return false, fmt.Errorf("%s: %w", query, err)
		}
	}
	if random.IntN(8) > 0 {
		_, err = conn.ExecContext(ctx, `COMMIT`)
	}
	return false, err
}

// left leaves the database as a killed move does.
func (m *moving) left() {
	m.Helper()
	ctx, cancel := context.WithCancel(m.Context())
	copied := filepath.Join(m.TempDir(), "copy.db")
	_, err := move.Run(ctx, m.from(), m.to, move.Options{Report: func(step, _ string, _ int64) {
		if step == "copy" && ctx.Err() == nil {
			if err := m.source.Backup(m.Context(), copied); err != nil {
				m.Error(err)
			}
			cancel()
		}
	}})
	if err == nil {
		m.Fatal("it was not interrupted")
	}
	m.source, m.path = sqlitetest.OpenAt(m.T, copied), copied
}

// The next start of the server removes a journal that was left behind, and so
// does the next move.
func TestMove_JournalIsLeft(t *testing.T) {
	t.Parallel()
	m := newMoving(t, pgtest.Empty(t))
	m.left()
	m.change(`INSERT INTO revocation (id, account_id, at) VALUES ('noted', 'a', 1)`)
	if rows, err := sqliteRows(m.sqlite(), `SELECT k1 FROM move_journal WHERE k1 = 'noted'`); err != nil || fmt.Sprint(rows) != "[[noted]]" {
		t.Fatalf("it is not noted: %v (%v)", rows, err)
	}
	if err := m.source.ForgetMove(t.Context()); err != nil {
		t.Fatal(err)
	}
	m.stays()
	m.left()
	m.must()
	m.same()
	m.noJournal()
}

// During a move there is no other move of the same database. A server that
// starts leaves its journal alone.
func TestMove_OneAtATime(t *testing.T) {
	t.Parallel()
	m := newMoving(t, pgtest.Migrated(t))
	other := pgtest.Migrated(t)
	var once sync.Once
	m.report = func(step, _ string) {
		if step != "compare" {
			return
		}
		once.Do(func() {
			if _, err := move.Run(t.Context(), m.from(), other, move.Options{}); !errors.Is(err, move.ErrMoving) {
				t.Errorf("a second move: %v", err)
			}
			if err := m.source.ForgetMove(t.Context()); err != nil {
				t.Error(err)
			}
		})
	}
	m.must()
	m.same()
}

// A client that drops the triggers, or changes the tables, ends the move.
func TestMove_SchemaChanges(t *testing.T) {
	t.Parallel()
	for _, query := range []string{`DROP TRIGGER move_journal_account_update`, `ALTER TABLE account ADD COLUMN extra TEXT`} {
		m := newMoving(t, pgtest.Migrated(t))
		var once sync.Once
		m.report = func(step, _ string) {
			if step == "compare" {
				once.Do(func() { m.change(query) })
			}
		}
		if _, err := m.move(); err == nil || !strings.Contains(err.Error(), "run the move again") {
			t.Errorf("%s: %v", query, err)
		}
		m.stays()
	}
}
