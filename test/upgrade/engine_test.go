package upgrade

import (
	"bytes"
	"compress/gzip"
	"database/sql"
	"io"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"
	_ "github.com/jackc/pgx/v5/stdlib"       // registers the driver
	_ "github.com/ncruces/go-sqlite3/driver" // registers the driver

	"portico/internal/store/pgtest"
)

// engine is a database of one engine.
type engine struct {
	*testing.T
	url  string // of database_url
	file string // SQLite only
}

// both runs a test on each engine, with an empty database.
func both(t *testing.T, run func(engine)) {
	t.Run("sqlite", func(t *testing.T) {
		file := filepath.Join(t.TempDir(), "portico.db")
		run(engine{t, "sqlite:" + file, file})
	})
	t.Run("postgres", func(t *testing.T) {
		if os.Getenv(pgtest.Server) == "" {
			t.Skip("there is no server: tools/postgres run -- go test ./test/upgrade")
		}
		run(engine{T: t, url: pgtest.Empty(t)})
	})
}

// db opens the database without the store.
func (e engine) db() *sql.DB {
	e.Helper()
	driver, name := "pgx", pgtest.Plain(e.url)
	if e.file != "" {
		driver, name = "sqlite3", "file:"+e.file+"?_pragma=foreign_keys(0)"
	}
	db, err := sql.Open(driver, name)
	if err != nil {
		e.Fatal(err)
	}
	e.Cleanup(func() { _ = db.Close() })
	return db
}

// strings returns the first column of a query.
func (e engine) strings(db *sql.DB, query string) []string {
	e.Helper()
	rows, err := db.QueryContext(e.Context(), query)
	if err != nil {
		e.Fatalf("%s: %v", query, err)
	}
	defer rows.Close()
	var found []string
	for rows.Next() {
		var text string
		if err := rows.Scan(&text); err != nil {
			e.Fatal(err)
		}
		found = append(found, text)
	}
	if err := rows.Err(); err != nil {
		e.Fatal(err)
	}
	return found
}

// counts returns the number of rows of each table.
func (e engine) counts() map[string]int {
	e.Helper()
	db := e.db()
	defer db.Close()
	tables := "SELECT table_name FROM information_schema.tables WHERE table_schema = 'public'"
	if e.file != "" {
		tables = "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%'"
	}
	counts := map[string]int{}
	for _, table := range e.strings(db, tables) {
		if table == "schema_version" {
			continue
		}
		var n int
		if err := db.QueryRowContext(e.Context(), "SELECT COUNT(*) FROM "+table).Scan(&n); err != nil {
			e.Fatal(err)
		}
		counts[table] = n
	}
	return counts
}

// name returns the file of this engine in the folder of a version.
func (e engine) name(version string) string {
	if e.file != "" {
		return filepath.Join("testdata", version, "sqlite.db.gz")
	}
	return filepath.Join("testdata", version, "postgres.sql.gz")
}

// save writes the compressed copy of the database.
func (e engine) save(version string) {
	e.Helper()
	var content []byte
	var err error
	if e.file != "" {
		if content, err = os.ReadFile(e.file); err != nil {
			e.Fatal(err)
		}
	} else {
		dump := exec.Command(filepath.Join(os.Getenv("POSTGRES_BIN"), "pg_dump"), "--no-owner", "--no-privileges", "--inserts", pgtest.Plain(e.url))
		if content, err = dump.Output(); err != nil {
			e.Fatalf("pg_dump: %v", err)
		}
		content = portable(content)
	}
	var packed bytes.Buffer
	w, _ := gzip.NewWriterLevel(&packed, gzip.BestCompression)
	_, err = w.Write(content)
	if err == nil {
		err = w.Close()
	}
	if err == nil {
		err = os.WriteFile(e.name(version), packed.Bytes(), 0o644)
	}
	if err != nil {
		e.Fatal(err)
	}
	e.Logf("%s: %d bytes", e.name(version), packed.Len())
}

// portable drops the settings of a dump and the commands of psql, which other
// versions of PostgreSQL may not know.
func portable(dump []byte) []byte {
	var kept []byte
	for line := range bytes.Lines(dump) {
		if !bytes.HasPrefix(line, []byte("SET ")) && !bytes.HasPrefix(line, []byte("SELECT pg_catalog.set_config")) && !bytes.HasPrefix(line, []byte(`\`)) {
			kept = append(kept, line...)
		}
	}
	return kept
}

// load fills the empty database from the copy of a version.
func (e engine) load(version string) {
	e.Helper()
	file, err := os.Open(e.name(version))
	if err != nil {
		e.Fatal(err)
	}
	defer file.Close()
	unpacked, err := gzip.NewReader(file)
	if err != nil {
		e.Fatal(err)
	}
	content, err := io.ReadAll(unpacked)
	if err != nil {
		e.Fatal(err)
	}
	if e.file != "" {
		if err := os.WriteFile(e.file, content, 0o600); err != nil {
			e.Fatal(err)
		}
		return
	}
	conn, err := pgx.Connect(e.Context(), pgtest.Plain(e.url))
	if err != nil {
		e.Fatal(err)
	}
	defer conn.Close(e.Context())
	if _, err := conn.PgConn().Exec(e.Context(), string(content)).ReadAll(); err != nil {
		e.Fatal(err)
	}
}

// key puts the master key of a version where only its owner can read it.
func key(t *testing.T, version string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("testdata", version, "secret.key"))
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "secret.key")
	if err := os.WriteFile(path, text, 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func parse(t *testing.T, text string) *url.URL {
	t.Helper()
	u, err := url.Parse(strings.TrimSpace(text))
	if err != nil {
		t.Fatal(err)
	}
	return u
}
