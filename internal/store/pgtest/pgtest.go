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

// Server is the environment variable with the URL of the server, as one who may
// make databases.
const Server = "PORTICO_TEST_POSTGRES"

// Engine is the environment variable that says which database the tests of the
// whole product use: "sqlite", the default, or "postgres".
const Engine = "PORTICO_TEST_DATABASE"

// Chosen returns the URL of a fresh database of the engine that is chosen for
// this run: a SQLite file at the path, or one as Migrated makes it.
func Chosen(t testing.TB, path string) string {
	t.Helper()
	if cmp.Or(os.Getenv(Engine), "sqlite") == "sqlite" {
		return "sqlite:" + path
	}
	return Patient(Migrated(t))
}

// Patient returns the URL for a store that waits longer than a person would: for
// tests of what it does, not of how quickly, on a machine that does much else.
func Patient(url string) string { return url + "&answer_within=20s" }

// Plain returns the URL as tools other than the store understand it.
func Plain(url string) string { return strings.TrimSuffix(url, "&answer_within=20s") }

// Migrated returns the URL of a database with the whole schema and no rows.
func Migrated(t testing.TB) string {
	t.Helper()
	admin := connect(t)
	defer admin.Close(t.Context())
	name, err := template()
	if err != nil {
		t.Fatalf("make the template of the test databases: %v", err)
	}
	return create(t, admin, " TEMPLATE "+name)
}

// Empty returns the URL of a database without a schema.
func Empty(t testing.TB) string {
	t.Helper()
	admin := connect(t)
	defer admin.Close(t.Context())
	return create(t, admin, "")
}

// OnDisk returns the URL of one without a schema that may be larger than memory,
// and the folder that it is in.
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
	return create(t, admin, " TABLESPACE disk"), folder
}

// connect skips the test where there is no server.
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
		ctx, cancel := context.WithTimeout(context.Background(), time.Minute) // a large one is many files
		defer cancel()
		if err := drop(ctx, name); err != nil {
			t.Error(err)
		}
	})
	return of(name)
}

// drop connects anew: a test with hundreds of databases would hold as many
// connections until its end.
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

// template is a database to copy, which is much quicker than to migrate. Each
// process makes one and leaves it behind: the server ends with the run.
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
