package cli_test

import (
	"bytes"
	"database/sql"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	_ "github.com/jackc/pgx/v5/stdlib"

	"portico/internal/store/pgtest"
)

// An import of an archive that is killed at any moment leaves an empty installation, and one more is whole.
func TestImport_Killed(t *testing.T) {
	t.Parallel()
	const all = 8000
	one := killing{t, t.TempDir(), nil}
	one.env = []string{"HOME=" + one.folder}
	var file bytes.Buffer
	for i := range all {
		fmt.Fprintf(&file, `{"email":"p%d@example.org","email_verified":true,"roles":["staff"],"totp":[{"secret":"GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ"}]}`+"\n", i)
	}
	people, archive := filepath.Join(one.folder, "people.jsonl"), filepath.Join(one.folder, "archive")
	if err := os.WriteFile(people, file.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	one.run("migrate")
	one.run("user", "import", people)
	one.run("export", archive, "--plain")
	want := one.run("user", "list", "--json")
	one.killsExport()
	for _, engine := range []string{"sqlite", "postgres"} {
		t.Run(engine, func(t *testing.T) {
			two := killing{t, t.TempDir(), nil}
			two.env = []string{"HOME=" + two.folder}
			moments := two.moments()
			if engine == "postgres" {
				moments = two.momentsOn(pgtest.Empty(t))
			}
			for _, m := range moments {
				killed := two.command("import", archive)
				if err := killed.Start(); err != nil {
					t.Fatal(err)
				}
				for began := time.Now(); !m.written(); time.Sleep(time.Millisecond) {
					if time.Since(began) > time.Minute {
						t.Fatal("nothing was written")
					}
				}
				_ = killed.Process.Kill()
				if err := killed.Wait(); err == nil {
					t.Fatal("the import was not killed in its middle")
				}
				if out := two.run("user", "list"); out != "" {
					t.Errorf("%s: there are %d people after the kill", m.name, strings.Count(out, "\n"))
				}
			}
			two.run("import", archive)
			if got := two.run("user", "list", "--json"); got != want || strings.Count(got, `"email"`) != all {
				t.Errorf("the last import has %d people", strings.Count(got, `"email"`))
			}
		})
	}
}

// killsExport wants no file of an export that is killed while it is written: half of it would look whole.
func (k killing) killsExport() {
	k.Helper()
	folder := filepath.Join(k.folder, "exports")
	if err := os.Mkdir(folder, 0o700); err != nil {
		k.Fatal(err)
	}
	killed := k.command("export", filepath.Join(folder, "archive"), "--plain")
	if err := killed.Start(); err != nil {
		k.Fatal(err)
	}
	writes := func() bool {
		files, err := os.ReadDir(folder)
		if err != nil || len(files) == 0 {
			return false
		}
		info, err := files[0].Info()
		return err == nil && info.Size() > 0
	}
	for began := time.Now(); !writes(); time.Sleep(time.Millisecond) {
		if time.Since(began) > time.Minute {
			k.Fatal("nothing was written")
		}
	}
	_ = killed.Process.Kill()
	if err := killed.Wait(); err == nil {
		k.Fatal("the export was not killed in its middle")
	}
	if _, err := os.Stat(filepath.Join(folder, "archive")); err == nil {
		k.Error("half of an archive has the name of a whole one")
	}
	k.run("export", filepath.Join(folder, "archive"), "--plain")
}

// moment asks whether an import has come so far.
type moment struct {
	name    string
	written func() bool
}

// moments are those of an import to SQLite: how much its open transaction has moved out of memory.
func (k killing) moments() []moment {
	return []moment{{"2 MiB", func() bool {
		info, err := os.Stat(filepath.Join(k.folder, "portico-data/portico.db-wal"))
		return err == nil && info.Size() >= 2<<20
	}}}
}

// momentsOn is moments on PostgreSQL: the pages of the tables that the open transaction has filled, in the order of the archive.
func (k *killing) momentsOn(url string) (all []moment) {
	k.env = append(k.env, "PORTICO_DATABASE_URL="+url, "PORTICO_SECRET_FILE="+filepath.Join(k.folder, "secret.key"))
	k.run("config", "new-key")
	db, err := sql.Open("pgx", pgtest.Plain(url))
	if err != nil {
		k.Fatal(err)
	}
	k.Cleanup(func() { _ = db.Close() })
	for _, table := range []string{"account", "person", "factor"} {
		all = append(all, moment{table, func() bool {
			var size int64
			err := db.QueryRowContext(k.Context(), `SELECT pg_relation_size($1)`, table).Scan(&size)
			return err == nil && size > 64<<10 // before the migration there is no such table
		}})
	}
	return all
}
