package cli

import (
	"database/sql"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// importing is an installation, a connection to its database without Portico's settings, and a file of people.
type importing struct {
	*testing.T
	path string
	raw  *sql.DB
}

func newImporting(t *testing.T) importing {
	t.Helper()
	i := importing{T: t, path: filepath.Join(t.TempDir(), "p.db")}
	i.calls(0, "migrate")
	var err error
	if i.raw, err = sql.Open("sqlite3", "file:"+i.path); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { i.raw.Close() })
	return i
}

// calls runs a command and returns what it says.
func (i importing) calls(want int, args ...string) string {
	i.Helper()
	var out strings.Builder
	environ := []string{"PORTICO_DATABASE_URL=sqlite:" + i.path, "PORTICO_SECRET_FILE=" + i.path + ".key"}
	if code := Run(i.Context(), Process{Args: args, Environ: environ, Stdin: strings.NewReader(""), Stdout: &out, Stderr: &out}); code != want {
		i.Fatalf("%v: exit code %d: %s", args, code, out.String())
	}
	return out.String()
}

// people writes a file of more people than a call takes, the last of whom has something more.
func (i importing) people(more string) (path string) {
	i.Helper()
	var file strings.Builder
	for n := range 205 {
		fmt.Fprintf(&file, `{"email":"p%d@example.org","email_verified":true,"subject":{"issuer":"https://old.test","value":"%d"}}`+"\n", n, n)
	}
	path = filepath.Join(i.TempDir(), "people.jsonl")
	if err := os.WriteFile(path, []byte(file.String()+more), 0o600); err != nil {
		i.Fatal(err)
	}
	return path
}

// Two lines far apart have the same id. The check finds it, before anybody is imported.
func TestUserImport_SameIDFarApart(t *testing.T) {
	t.Parallel()
	i := newImporting(t)
	said := i.calls(1, "user", "import", "--keep-subject", i.people(`{"email":"last@example.org","subject":{"issuer":"https://old.test","value":"0"}}`))
	for _, want := range []string{`line 206: subject.value: "0": belongs to another account`, "bad: 1 line, and nothing was imported"} {
		if !strings.Contains(said, want) {
			t.Errorf("it does not say %s:\n%s", want, said)
		}
	}
	if listed := strings.Count(i.calls(0, "user", "list"), "\n"); listed != 0 {
		t.Errorf("%d people are there", listed)
	}
}

// Somebody takes an address between the check of the file and its import. The others are imported then, and the command says so.
func TestUserImport_TakenSinceTheCheck(t *testing.T) {
	t.Parallel()
	i := newImporting(t)
	if _, err := i.raw.ExecContext(t.Context(), `CREATE TRIGGER meanwhile AFTER INSERT ON account WHEN NEW.address = 'p0@example.org' BEGIN
		INSERT INTO other_address VALUES (NEW.id, 'last@example.org', 'last@example.org', 'other', 0, 0, 253370764800000000); END`); err != nil {
		t.Fatal(err)
	}
	said := i.calls(1, "user", "import", i.people(`{"email":"last@example.org"}`))
	for _, want := range []string{`line 206: email: "last@example.org": belongs to another account`, "bad: 1 line, and the others were imported: correct the file, or add --skip-bad"} {
		if !strings.Contains(said, want) {
			t.Errorf("it does not say %s:\n%s", want, said)
		}
	}
	if listed := strings.Count(i.calls(0, "user", "list"), "\n"); listed != 205 {
		t.Errorf("%d people are there", listed)
	}
}
