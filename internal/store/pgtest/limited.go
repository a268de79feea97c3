package pgtest

import (
	"context"
	"net/url"
	"os"
	"testing"

	"github.com/jackc/pgx/v5"

	"portico/internal/ids"
)

// Limited returns the URL of a database without a schema, a role that may only connect to
// it, and the URL for this role.
func Limited(t testing.TB) (owner, role, limited string) {
	t.Helper()
	role = "role_" + ids.New()
	if server := os.Getenv(Server); server != "" {
		Exec(t, server, "CREATE ROLE "+role+" LOGIN")
		t.Cleanup(func() { Exec(t, server, "DROP ROLE "+role) }) // after its database
	}
	owner = Empty(t)
	u, err := url.Parse(owner)
	if err != nil {
		t.Fatal(err)
	}
	u.User = url.User(role)
	return owner, role, u.String()
}

// Exec runs the statements in the database of the URL.
func Exec(t testing.TB, url string, statements ...string) {
	t.Helper()
	ctx := context.Background() // also while the test ends
	conn, err := pgx.Connect(ctx, Plain(url))
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(ctx)
	for _, s := range statements {
		if _, err := conn.Exec(ctx, s); err != nil {
			t.Fatalf("%s: %v", s, err)
		}
	}
}
