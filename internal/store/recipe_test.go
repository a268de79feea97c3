package store_test

import (
	"database/sql"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	_ "github.com/jackc/pgx/v5/stdlib"

	"portico/internal/store/pgtest"
)

// The statement of docs/integrating/webhooks.md makes one row, however many requests of a new user come at once, and
// follows another address.
func TestRecipe_Upsert(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile("../../docs/integrating/webhooks.md")
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(page), "PostgreSQL and SQLite:\n\n```sql\n")
	statement, _, _ := strings.Cut(rest, "```")
	urls := map[string]string{"sqlite3": "file:" + filepath.Join(t.TempDir(), "app.db") + "?_pragma=busy_timeout(10000)"}
	if os.Getenv(pgtest.Server) != "" {
		urls["pgx"] = pgtest.Plain(pgtest.Empty(t))
	}
	for driver, url := range urls {
		db, err := sql.Open(driver, url)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = db.Close() })
		if _, err := db.Exec(`CREATE TABLE app_user (portico_id TEXT PRIMARY KEY, email TEXT NOT NULL, name TEXT NOT NULL)`); err != nil {
			t.Fatal(driver, err)
		}
		var all sync.WaitGroup
		for range 10 {
			all.Go(func() {
				if _, err := db.Exec(statement, "mara", "mara@example.org", "Mara"); err != nil {
					t.Error(driver, err)
				}
			})
		}
		all.Wait()
		if _, err := db.Exec(statement, "mara", "new@example.org", "Mara"); err != nil {
			t.Error(driver, err)
		}
		var rows int
		var email string
		if err := db.QueryRow(`SELECT COUNT(*), MAX(email) FROM app_user`).Scan(&rows, &email); err != nil || rows != 1 || email != "new@example.org" {
			t.Errorf("%s: %d rows, %s, %v", driver, rows, email, err)
		}
	}
}
