package pgtest

import (
	"cmp"
	"context"
	"errors"
	"net/url"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"portico/internal/ids"
	"portico/internal/store"
)

// Server names the environment variable with the URL of the server, as a user
// who may create databases.
const Server = "PORTICO_TEST_POSTGRES"

// Engine names the environment variable with the engine for tests of the whole
// product: "sqlite", the default, or "postgres".
const Engine = "PORTICO_TEST_DATABASE"

// Chosen returns the URL of a new database of the engine that Engine names: an
// SQLite file at the path, or a database from Migrated.
func Chosen(t testing.TB, path string) string {
	t.Helper()
	if cmp.Or(os.Getenv(Engine), "sqlite") == "sqlite" {
		return "sqlite:" + path
	}
	return Migrated(t)
}

// Patient gives the store of a URL more time for an answer than users would wait, because the machine may be
// busy. All databases of this package have it, except large ones.
func Patient(url string) string { return url + patience }

const patience = "&answer_within=60s"

// Plain returns the URL without this time: for tests of times, and for other tools, which do not know it.
func Plain(url string) string { return strings.TrimSuffix(url, patience) }

// Migrated returns the URL of a database with the whole schema and no rows.
func Migrated(t testing.TB) string {
	t.Helper()
	admin := connect(t)
	defer admin.Close(t.Context())
	name, err := template()
	if err != nil {
		t.Fatalf("make the template of the test databases: %v", err)
	}
	clause := " TEMPLATE " + name
	if admin.PgConn().ParameterStatus("server_version") >= "15" {
		clause += " STRATEGY FILE_COPY" // which older ones always do. To log each page takes half as much processor time again.
	}
	return create(t, admin, clause)
}

// Empty returns the URL of a database without a schema.
func Empty(t testing.TB) string {
	t.Helper()
	admin := connect(t)
	defer admin.Close(t.Context())
	return create(t, admin, "")
}

// OnDisk returns the plain URL of a database without a schema that may be larger
// than memory, and its folder.
func OnDisk(t testing.TB) (url, folder string) {
	t.Helper()
	admin := connect(t)
	defer admin.Close(t.Context())
	err := admin.QueryRow(t.Context(), "SELECT pg_tablespace_location(oid) FROM pg_tablespace WHERE spcname = 'disk'").Scan(&folder)
	if errors.Is(err, pgx.ErrNoRows) {
		t.Skip("the server has no tablespace for large databases: tools/postgres makes one")
	}
	if err != nil {
		t.Fatal(err)
	}
	return Plain(create(t, admin, " TABLESPACE disk")), folder
}

// connect connects to the server. Without a server it skips the test.
func connect(t testing.TB) *pgx.Conn {
	t.Helper()
	server := os.Getenv(Server)
	if server == "" {
		t.Skip("there is no PostgreSQL: run it as 'tools/postgres run -- go test ...', as 'make ci' does")
	}
	conn, err := pgx.Connect(t.Context(), server)
	if err != nil {
		t.Fatal(err)
	}
	return conn
}

func create(t testing.TB, admin *pgx.Conn, clause string) string {
	t.Helper()
	name := "test_" + ids.New()
	if _, err := admin.Exec(t.Context(), "CREATE DATABASE "+name+clause); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), time.Minute) // a large database has many files
		defer cancel()
		if err := drop(ctx, name); err != nil {
			t.Error(err)
		}
	})
	return Patient(of(name))
}

// drop opens a new connection. A test with hundreds of databases would
// otherwise hold as many connections until its end.
func drop(ctx context.Context, name string) error {
	admin, err := pgx.Connect(ctx, os.Getenv(Server))
	if err != nil {
		return err
	}
	_, err = admin.Exec(ctx, "DROP DATABASE "+name+" WITH (FORCE)")
	return errors.Join(err, admin.Close(ctx))
}

// of returns the URL of a database of the server.
func of(name string) string {
	u, err := url.Parse(os.Getenv(Server))
	if err != nil {
		return ""
	}
	u.Path = "/" + name
	return u.String()
}

// template is a database to copy, which is much faster than a migration. Each
// process creates one and leaves it: the server ends with the run.
var template = sync.OnceValues(func() (name string, err error) {
	ctx := context.Background()
	admin, err := pgx.Connect(ctx, os.Getenv(Server))
	if err != nil {
		return "", err
	}
	defer admin.Close(ctx)
	name = "template_" + ids.New()
	if _, err := admin.Exec(ctx, "CREATE DATABASE "+name); err != nil {
		return "", err
	}
	s, err := store.Open(ctx, store.Config{URL: of(name)})
	if err != nil {
		return "", err
	}
	_, err = s.Migrate(ctx)
	return name, errors.Join(err, s.Close())
})
