package doctor

import (
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	_ "github.com/ncruces/go-sqlite3/driver"

	"portico/internal/app"
	"portico/internal/clock"
	"portico/internal/cluster"
	"portico/internal/config"
	"portico/internal/secret"
	"portico/internal/store"
	"portico/internal/store/pgtest"
)

// change runs a statement on the database, and returns cfg.
func change(t *testing.T, cfg config.Config, statement string) config.Config {
	t.Helper()
	db, err := sql.Open("sqlite3", "file:"+strings.TrimPrefix(cfg.DatabaseURL, "sqlite:"))
	if err != nil {
		t.Fatal(err)
	}
	_, err = db.ExecContext(t.Context(), statement)
	if err := errors.Join(err, db.Close()); err != nil {
		t.Fatal(err)
	}
	return cfg
}

func TestSecretFile(t *testing.T) {
	t.Parallel()
	cfg := made(t, settings(t, t.TempDir()))
	expect(t, cfg, "secret_file", OK, "belongs to this database")

	other := cfg
	other.SecretFile = filepath.Join(t.TempDir(), "other.key")
	expect(t, other, "secret_file", Failed, "restore it from your backup")
	if _, err := secret.CreateKey(other.SecretFile); err != nil {
		t.Fatal(err)
	}
	expect(t, other, "secret_file", Failed, "does not belong to this database")
	if err := os.Chmod(other.SecretFile, 0o644); err != nil {
		t.Fatal(err)
	}
	expect(t, other, "secret_file", Failed, "chmod 600")
}

func TestDatabase(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		statement string
		state     State
		words     string
	}{
		"right":       {"SELECT 1", OK, "SQLite 3."},
		"unreleased":  {"ALTER TABLE schema_version RENAME TO goose_db_version", Failed, "was made before 0.1.0"},
		"newer":       {"INSERT INTO schema_version (version_id, is_applied) VALUES (99999, 1)", Failed, "start that version"},
		"development": {"UPDATE installation SET purpose = 'development'", Failed, "belongs to portico dev"},
		"copied":      {"UPDATE installation SET lineage = 'backup'", Failed, "finish-restore"},
		"moved":       {"INSERT INTO move (id, state, until) VALUES (1, 'gone', 0)", Failed, "moved"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			expect(t, change(t, made(t, settings(t, t.TempDir())), tt.statement), "database", tt.state, tt.words)
		})
	}
	t.Run("damaged", func(t *testing.T) {
		t.Parallel()
		cfg := settings(t, t.TempDir())
		if err := os.WriteFile(strings.TrimPrefix(cfg.DatabaseURL, "sqlite:"), []byte(strings.Repeat("no database ", 1000)), 0o600); err != nil {
			t.Fatal(err)
		}
		expect(t, cfg, "database", Failed, "portico restore")
		expect(t, cfg, "outbox", Skipped, "")
	})
	t.Run("empty", func(t *testing.T) {
		t.Parallel()
		cfg := settings(t, t.TempDir())
		expect(t, change(t, cfg, "CREATE TABLE other (id)"), "database", Warning, "contains no Portico data")
	})
	t.Run("stopped", func(t *testing.T) {
		t.Parallel()
		cfg := settings(t, t.TempDir())
		cfg.DatabaseURL = "postgres://portico:hunter4@" + deaf(t) + "/portico?sslmode=disable"
		found := Examine(t.Context(), cfg, nil)
		holds(t, found, "database", Failed, "refused: check database_url")
		if all := fmt.Sprint(found); strings.Count(all, "check database_url") != 1 {
			t.Errorf("it is said twice: %s", all)
		}
		for _, check := range []string{"connections", "clock", "nodes", "outbox"} {
			holds(t, found, check, Skipped, "cannot be read")
		}
		d, r := newDoctor(t.Context(), cfg), &report{check: "database"}
		closed := fmt.Errorf("dial unix: %w: check database_url, and that the database is running", fs.ErrPermission)
		d.database = func() database { return database{err: closed} }
		d.databaseItself(t.Context(), r)
		if all := fmt.Sprint(r.found); strings.Contains(all, "is running") || !strings.Contains(all, "run this as the user") {
			t.Errorf("a socket of another user: %s", all)
		}
	})
}

func TestOutbox(t *testing.T) {
	t.Parallel()
	cfg := made(t, settings(t, t.TempDir()))
	expect(t, cfg, "outbox", OK, "0 waiting")
	const add = "INSERT INTO outbox (id, template, account_id, payload, created_at, not_after, due_at, dead_at, claims, failures, uncertain, reason, client_id) VALUES "
	change(t, cfg, add+"('a', 'x', '', x'00', "+micros(time.Now().Add(-2*time.Minute))+", 0, "+micros(time.Now())+", 0, 0, 0, 0, '', '')")
	// A message to a client about an ended session is no email.
	change(t, cfg, add+"('logout', 'x', '', x'00', "+micros(time.Now().Add(-time.Hour))+", 0, "+micros(time.Now())+", 0, 0, 0, 0, '', 'app')")
	change(t, cfg, "UPDATE outbox SET lane = 2 WHERE id = 'logout'")
	expect(t, cfg, "outbox", OK, "1 waiting, the oldest for 2m")
	change(t, cfg, add+"('b', 'x', '', x'00', "+micros(time.Now().Add(-2*time.Hour))+", 0, "+micros(time.Now().Add(-2*time.Hour))+", 0, 0, 0, 0, '', ''), ('c', 'x', '', x'00', 1, 0, 0, 1, 0, 0, 0, '', '')")
	expect(t, cfg, "outbox", Warning, "2 waiting, the oldest for 2h")
	expect(t, cfg, "outbox", Warning, "and one is overdue since 20")
	expect(t, cfg, "outbox", Warning, "1 could not be delivered: 'portico mail list' has the reasons")

	// Each email was tried and waits for its next attempt: the reason decides.
	tried := func(age time.Duration, reason string) {
		t.Helper()
		due := time.Now().Add(time.Minute)
		change(t, cfg, "UPDATE outbox SET claims = 1, failures = 1, due_at = "+micros(due)+", created_at = "+micros(time.Now().Add(-age))+", reason = '"+reason+"' WHERE id = 'b'")
		change(t, cfg, "UPDATE outbox SET due_at = "+micros(due)+" WHERE id = 'a'")
		change(t, cfg, "DELETE FROM outbox WHERE id = 'c'")
	}
	tried(20*time.Minute, "recipient: 451 \"4.7.1 Greylisted, come back later\"")
	expect(t, cfg, "outbox", OK, "2 waiting, the oldest for 20m")
	expect(t, cfg, "outbox", OK, "s; the last attempt failed, because the mail server refuses the email for now (recipient: 451 \"4.7.1 Greylisted, come back later\"); the next is at 2")
	tried(2*time.Hour, "recipient: 451 \"4.7.1 Greylisted, come back later\"")
	expect(t, cfg, "outbox", Warning, "the server refuses the email for now")
	tried(20*time.Minute, "connect: dial tcp 192.0.2.1:587: connect: connection refused")
	expect(t, cfg, "outbox", Warning, "because the mail server cannot be reached (connect: dial tcp 192.0.2.1:587: connect: connection refused); the next is at ")
	expect(t, cfg, "outbox", Warning, ": check the host and port in smtp_url, and any firewall in between; 'portico mail flush' then tries all now")
	tried(20*time.Minute, "a client answers 500")
	expect(t, cfg, "outbox", Warning, "because a client answers 500; ")
	expect(t, cfg, "outbox", Warning, ": remove the reason; 'portico mail flush'")
}

func TestPasskeys(t *testing.T) {
	t.Parallel()
	cfg := made(t, settings(t, t.TempDir()))
	expect(t, cfg, "passkeys", OK, "all of them are for localhost")
	change(t, cfg, "INSERT INTO account (id, address, address_key, name, password, state, version, roles, created_at, address_at, locale, flow_ends, terms, terms_at, factor_told_at, alarm_at, alarm_mail_at, alarm_address_at) VALUES ('a', 'a@x.test', 'a@x.test', '', '', 'active', 1, '[]', 1, 0, '', 0, '', 0, 0, 0, 0, 0)")
	change(t, cfg, "INSERT INTO passkey (id, account_id, credential, public_key, handle, host, name, model, transports, counter, copies, copied, created_at, used_at) VALUES ('p', 'a', x'01', x'00', x'00', 'old.example.com', '', '', '[]', 0, 0, 0, 1, 1), ('q', 'a', x'02', x'00', x'00', 'localhost', '', '', '[]', 0, 0, 0, 1, 1)")
	expect(t, cfg, "passkeys", Warning, "passkeys that were made for another host than localhost do not work (found 1)")
}

func micros(at time.Time) string { return strconv.FormatInt(at.UnixMicro(), 10) }

// Only PostgreSQL has rows of nodes, but the comparison works on any engine.
func TestNodes(t *testing.T) {
	t.Parallel()
	cfg := made(t, settings(t, t.TempDir()))
	key, err := secret.ReadKey(cfg.SecretFile)
	if err != nil {
		t.Fatal(err)
	}
	compare := func(state State, words string) {
		t.Helper()
		r, d := &report{check: "nodes"}, newDoctor(t.Context(), cfg)
		d.nodes(t.Context(), r)
		holds(t, r.found, "nodes", state, words)
		if err := d.database().store.Close(); err != nil {
			t.Error(err)
		}
	}
	compare(OK, "no node is running")
	other := cfg
	other.SignUp.Mode = "closed"
	for _, c := range []config.Config{cfg, other} {
		s, err := store.Open(t.Context(), store.Config{URL: cfg.DatabaseURL})
		if err != nil {
			t.Fatal(err)
		}
		err = s.Write(t.Context(), func(tx *store.Tx) error { return cluster.NewNode(key, "other", c.Shared()).Look(t.Context(), tx) })
		if err := errors.Join(err, s.Close()); err != nil {
			t.Fatal(err)
		}
		if c.SignUp.Mode == cfg.SignUp.Mode {
			compare(OK, "1 node is running, or was within the last 10 minutes, with these settings")
		}
	}
	compare(Warning, "2 nodes are running, or were within the last 10 minutes, and at least one has other settings: signup.mode")
}

func TestPostgres(t *testing.T) {
	t.Parallel()
	if os.Getenv(pgtest.Server) == "" {
		t.Skip("no PostgreSQL")
	}
	cfg := settings(t, t.TempDir())
	owner, role, limited := pgtest.Limited(t)
	cfg.DatabaseURL = limited
	expect(t, cfg, "database", Failed, "the role "+role+" may not create tables in the schema public")
	cfg.DatabaseURL = owner
	expect(t, cfg, "database", Warning, "contains no Portico data")
	expect(t, cfg, "secret_file", Failed, "portico config new-key")
	if _, err := secret.CreateKey(cfg.SecretFile); err != nil {
		t.Fatal(err)
	}
	made(t, cfg)
	found := Examine(t.Context(), cfg, nil)
	holds(t, found, "database", OK, "PostgreSQL ")
	holds(t, found, "secret_file", OK, "belongs to this database")
	holds(t, found, "connections", OK, " are in use")
	holds(t, found, "clock", OK, "")
	holds(t, found, "nodes", OK, "no node is running")
	holds(t, found, "outbox", OK, "0 waiting")

	pgtest.Exec(t, owner, "CREATE SCHEMA other")
	lost := cfg
	lost.DatabaseURL = owner + "&search_path=other"
	expect(t, lost, "database", Warning, "the schema public has some: correct search_path")

	many := cfg
	many.DatabaseURL += "&pool_max_conns=5000"
	expect(t, many, "connections", Warning, "max_connections")
	for ahead, state := range map[time.Duration]State{time.Minute: Warning, 2 * app.TooFar: Failed} {
		d := newDoctor(t.Context(), cfg)
		d.clock = clock.NewManual(time.Now().Add(ahead))
		holds(t, d.examine(t.Context(), nil), "clock", state, "NTP")
	}
}
