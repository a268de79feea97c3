package doctor

import (
	"database/sql"
	"errors"
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
		"older":       {"DELETE FROM goose_db_version WHERE version_id = (SELECT max(version_id) FROM goose_db_version)", Warning, "portico migrate"},
		"newer":       {"INSERT INTO goose_db_version (version_id, is_applied) VALUES (99999, 1)", Failed, "start that version"},
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
		holds(t, found, "database", Failed, "refused")
		for _, check := range []string{"connections", "clock", "nodes", "outbox"} {
			holds(t, found, check, Skipped, "cannot be read")
		}
	})
}

func TestOutbox(t *testing.T) {
	t.Parallel()
	cfg := made(t, settings(t, t.TempDir()))
	expect(t, cfg, "outbox", OK, "0 waiting")
	const add = "INSERT INTO outbox (id, template, account_id, payload, created_at, not_after, due_at, dead_at, claims, failures, uncertain, reason) VALUES "
	change(t, cfg, add+"('a', 'x', '', x'00', "+micros(time.Now().Add(-2*time.Minute))+", 0, 0, 0, 0, 0, 0, '')")
	expect(t, cfg, "outbox", OK, "1 waiting, the oldest for 2m")
	change(t, cfg, add+"('b', 'x', '', x'00', "+micros(time.Now().Add(-2*time.Hour))+", 0, 0, 0, 0, 0, 0, ''), ('c', 'x', '', x'00', 1, 0, 0, 1, 0, 0, 0, '')")
	expect(t, cfg, "outbox", Warning, "2 waiting, the oldest for 2h")
	expect(t, cfg, "outbox", Warning, "1 could not be delivered: see 'portico mail list'")
}

func TestPasskeys(t *testing.T) {
	t.Parallel()
	cfg := made(t, settings(t, t.TempDir()))
	expect(t, cfg, "passkeys", OK, "all of them are for localhost")
	change(t, cfg, "INSERT INTO account (id, address, address_key, name, password, state, version, roles, created_at) VALUES ('a', 'a@x.test', 'a@x.test', '', '', 'active', 1, '[]', 1)")
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
	other.SignUp.Enabled = !cfg.SignUp.Enabled
	for _, c := range []config.Config{cfg, other} {
		s, err := store.Open(t.Context(), store.Config{URL: cfg.DatabaseURL})
		if err != nil {
			t.Fatal(err)
		}
		err = s.Write(t.Context(), func(tx *store.Tx) error { return cluster.NewNode(key, "other", c.Shared()).Look(t.Context(), tx) })
		if err := errors.Join(err, s.Close()); err != nil {
			t.Fatal(err)
		}
		if c.SignUp == cfg.SignUp {
			compare(OK, "1 node is running, or was within the last 10 minutes, with these settings")
		}
	}
	compare(Warning, "2 nodes are running, or were within the last 10 minutes, and at least one has other settings: signup.enabled")
}

func TestPostgres(t *testing.T) {
	t.Parallel()
	if os.Getenv(pgtest.Server) == "" {
		t.Skip("no PostgreSQL")
	}
	cfg := settings(t, t.TempDir())
	cfg.DatabaseURL = pgtest.Empty(t)
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

	many := cfg
	many.DatabaseURL += "&pool_max_conns=5000"
	expect(t, many, "connections", Warning, "max_connections")
	for ahead, state := range map[time.Duration]State{time.Minute: Warning, 2 * app.TooFar: Failed} {
		d := newDoctor(t.Context(), cfg)
		d.clock = clock.NewManual(time.Now().Add(ahead))
		holds(t, d.examine(t.Context(), nil), "clock", state, "NTP")
	}
}
