package security

import (
	"context"
	"database/sql"
	"errors"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"unicode"

	"portico/internal/testform"
)

// binary builds the product once for all tests.
var binary = sync.OnceValues(func() (string, error) {
	dir, err := os.MkdirTemp("", "portico-security")
	if err != nil {
		return "", err
	}
	path := filepath.Join(dir, "portico")
	build := exec.Command("go", "build", "-o", path, "./cmd/portico")
	build.Dir = "../.."
	if out, err := build.CombinedOutput(); err != nil {
		return "", errors.New(string(out))
	}
	return path, nil
})

// command runs the product as an operator does, in the given folder, and
// returns its output. It ends a command that keeps running.
func command(t *testing.T, dir string, settings []string, args ...string) string {
	t.Helper()
	path, err := binary()
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), testform.Patience)
	defer cancel()
	run := exec.CommandContext(ctx, path, args...)
	run.Dir = dir
	run.Env = append(settings, "PATH="+os.Getenv("PATH"), "HOME="+dir)
	out, _ := run.CombinedOutput()
	return string(out)
}

// The URL of a setting can contain a secret, also where the URL is wrong. No
// command may print it: operators paste output into issues.
func TestSEC204_CommandsPrintNoSecretOfASetting(t *testing.T) {
	announce(t)
	t.Parallel()
	const canary = "canary7Secret"
	for _, setting := range []string{
		"DATABASE_URL=postgres://u:canary7Secret@/x?host=/nonexistent",
		"DATABASE_URL=postgres://u@/x?host=/nonexistent&password=canary7Secret",
		"DATABASE_URL=postgres://u:canary7Secret@/x?host=/nonexistent&sslmode=verify-full&sslrootcert=/nonexistent",
		"DATABASE_URL=postgres://u:canary7Secret@127.0.0.1:1,127.0.0.1:2/x",
		"DATABASE_URL=postgres://u:canary7Secret@127.0.0.1:port/x",
		"DATABASE_URL=postgres:u:canary7Secret",
		"DATABASE_URL=postgres:canary7Secret@h/x",
		"DATABASE_URL=mysql://u:canary7Secret@h/x",
		"DATABASE_URL=u:canary7Secret@h/x",
		"SMTP_URL=smtp://u:canary7Secret@127.0.0.1:1",
		"SMTP_URL=smtp://u:canary7Secret@127.0.0.1:1?tls=none",
		"SMTP_URL=smtp://u:canary7Secret%zz@h",
		"SMTP_URL=smtp:u:canary7Secret@h",
		"SMTP_URL=u:canary7Secret@h",
		"PUBLIC_URL=https://u:canary7Secret@portico.test",
		"UPSTREAM=http://u:canary7Secret@127.0.0.1:1",
		"UPSTREAM=http://127.0.0.1:1/?token=canary7Secret",
		"RETURN_ORIGINS=https://u:canary7Secret@app.test",
		"RETURN_DEFAULT=https://u:canary7Secret@app.test/",
		"PROVIDERS_CORP_ISSUER=https://u:canary7Secret@id.test",
		"TRACING_ENDPOINT=http://u:canary7Secret@127.0.0.1:4318",
		"TRACING_ENDPOINT=http://127.0.0.1:4318/?key=canary7Secret",
		"TRACING_HEADER=Authorization canary7Secret",
		"SIGNIN_LEGACY=https://127.0.0.1:1/?key=canary7Secret",
		"SIGNIN_LEGACY=https://127.0.0.1:1/ x?key=canary7Secret",
		"SIGNUP_ASK=https://127.0.0.1:1/?key=canary7Secret",
	} {
		t.Run(setting, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			settings := []string{
				"PORTICO_PUBLIC_URL=https://portico.invalid", "PORTICO_SMTP_URL=smtp://127.0.0.1:1?tls=none",
				"PORTICO_MAIL_FROM=no-reply@portico.test", "PORTICO_" + setting,
			}
			for _, args := range [][]string{{"doctor"}, {"config", "check"}, {"config", "show"}, {"user", "list"}, {"migrate"}} {
				if out := command(t, dir, settings, args...); strings.Contains(out, canary) || out == "" {
					t.Errorf("portico %s prints:\n%s", strings.Join(args, " "), out)
				}
			}
		})
	}
}

// The addresses of webhooks are in the file alone.
func TestSEC204_CommandsPrintNoKeyOfAWebhook(t *testing.T) {
	announce(t)
	t.Parallel()
	dir, settings := installation(t)
	text := "[[webhook]]\nname = \"shop\"\nurl = \"https://127.0.0.1:1/events?key=canary7Secret\"\nsecret = \"whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw\"\nprivate = true\n"
	if err := os.WriteFile(filepath.Join(dir, "portico.toml"), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{{"doctor"}, {"config", "check"}, {"config", "show"}, {"webhook", "list"}, {"webhook", "list", "--json"}, {"webhook", "test", "shop"}} {
		if out := command(t, dir, settings, args...); strings.Contains(out, "canary7Secret") || out == "" {
			t.Errorf("portico %s prints:\n%s", strings.Join(args, " "), out)
		}
	}
}

// installation creates an installation with one account, by the operator's
// commands.
func installation(t *testing.T) (dir string, settings []string) {
	t.Helper()
	dir = t.TempDir()
	command(t, dir, nil, "migrate")
	if out := command(t, dir, nil, "user", "create", "mara@x.test", "--name", "Mara"); !strings.Contains(out, "mara@x.test") {
		t.Fatal(out)
	}
	return dir, nil
}

// plant changes the database of an installation that does not run.
func plant(t *testing.T, file, statement string, values ...any) {
	t.Helper()
	db, err := sql.Open("sqlite3", "file:"+file)
	if err != nil {
		t.Fatal(err)
	}
	_, err = db.ExecContext(t.Context(), statement, values...)
	if err := errors.Join(err, db.Close()); err != nil {
		t.Fatal(err)
	}
}

// A backup with a foreign trigger would create an administrator at the next
// sign-in.
func TestSEC205_RestoreRefusesAForeignSchema(t *testing.T) {
	announce(t)
	t.Parallel()
	for name, statement := range map[string]string{
		"trigger": `CREATE TRIGGER planted AFTER INSERT ON session BEGIN UPDATE account SET roles = '["admin"]' WHERE id = NEW.account_id; END`,
		"view":    `ALTER TABLE outbox RENAME TO sent; CREATE VIEW outbox AS SELECT * FROM sent`,
		"column":  `ALTER TABLE account ADD COLUMN planted TEXT DEFAULT 'x'`,
	} {
		dir, settings := installation(t)
		good, bad := filepath.Join(dir, "good.db"), filepath.Join(dir, "bad.db")
		command(t, dir, settings, "backup", good)
		command(t, dir, settings, "backup", bad)
		plant(t, bad, statement)
		out := command(t, dir, settings, "restore", "--replace", bad)
		if !strings.Contains(out, "cannot be restored") || !strings.Contains(out, "not one that Portico makes") {
			t.Errorf("a copy with a foreign %s: %s", name, out)
		}
		if out := command(t, dir, settings, "user", "list"); !strings.Contains(out, "mara@x.test") {
			t.Errorf("after a refused %s the accounts are gone: %s", name, out)
		}
		if out := command(t, dir, settings, "restore", "--replace", good); !strings.Contains(out, "restored") {
			t.Errorf("a copy of our own: %s", out)
		}
	}
}

// Stored text may come from a stranger. No command may print control characters
// that a terminal acts on.
func TestSEC206_CommandsPrintNoControlCharacters(t *testing.T) {
	announce(t)
	t.Parallel()
	const evil = "Eve\x1b]0;owned\x07\x1b[2J\x1b[1A\r\nroot@x.test\tactive\u009b31m\u202egnp.exe\u2028\x7f"
	dir, settings := installation(t)
	file := filepath.Join(dir, "portico-data", "portico.db")
	plant(t, file, `UPDATE account SET name = $1`, evil)
	plant(t, file, `INSERT INTO session (id, token_hash, account_id, version, created_at, last_seen_at, expires_at, user_agent, methods, authenticated_at, peer, strong_at)
		SELECT '01jzzzzzzzzzzzzzzzzzzzzzzz', x'00', id, version, 1, 4000000000000000, 4000000000000000, $1, 'password', 1, '', 0 FROM account`, evil)
	plant(t, file, `UPDATE account SET roles = json_array($1)`, evil)
	for _, args := range [][]string{
		{"user", "list"}, {"user", "list", "--json"}, {"session", "list", "mara@x.test"}, {"session", "list", "mara@x.test", "--json"},
		{"user", "delete", evil}, {"restore", evil}, {evil},
	} {
		out := command(t, dir, settings, args...)
		for _, r := range out {
			if r != '\n' && r != '\t' && !unicode.IsGraphic(r) {
				t.Errorf("portico %.40q prints %q of %q", args, r, out)
				break
			}
		}
		if strings.Contains(out, "\nroot@x.test") {
			t.Errorf("portico %.40q prints a line that a stranger wrote: %q", args, out)
		}
	}
	if out := command(t, dir, settings, "user", "list"); !strings.Contains(out, "Eve\\u001b]0;owned") {
		t.Errorf("the name is not shown: %q", out)
	}
}

// A process that waits for the writer of a pipe looks dead, and one that reads a device never ends.
func TestSEC351_OnlyRegularFilesAreRead(t *testing.T) {
	announce(t)
	t.Parallel()
	dir, _ := installation(t)
	in := func(name string) string { return filepath.Join(dir, name) }
	command(t, dir, nil, "backup", in("good.db"))
	if err := os.Mkdir(in("words"), 0o700); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"pipe", "pipe.png", "pipe.svg", "pipe.woff2", "pipe.mmdb", "words/en.json", "good.db-wal"} {
		if err := syscall.Mkfifo(in(name), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	socket, err := new(net.ListenConfig).Listen(t.Context(), "unix", in("socket"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = socket.Close() })
	served := []string{"PORTICO_PUBLIC_URL=https://portico.invalid", "PORTICO_SMTP_URL=smtp://127.0.0.1:1?tls=none", "PORTICO_MAIL_FROM=no-reply@portico.test"}
	for _, c := range []struct{ want, setting, command string }{
		{"pipe: it is not a regular file", "", "restore --replace pipe"},
		{"/dev/zero: it is not a regular file", "", "restore --replace /dev/zero"},
		{"socket: it is not a regular file", "", "restore --replace socket"},
		{"words: it is not a regular file", "", "restore --replace words"},
		{"good.db-wal: it is not a regular file", "", "restore --replace good.db"},
		{"file already exists", "", "backup pipe"},
		{"pipe: it is not a regular file", "", "--config pipe user list"},
		{"pipe: it is not a regular file", "CONFIG=pipe", "user list"},
		{"pipe: it is not a regular file", "DATABASE_URL=sqlite:pipe", "user list"},
		{"pipe: it is not a regular file", "DATABASE_URL=sqlite:pipe", "migrate"},
		{"/dev/null: it is not a regular file", "DATABASE_URL=sqlite:/dev/null", "migrate"},
		{"sslrootcert of the database URL is not a regular file", "DATABASE_URL=postgres://u@127.0.0.1:1/x?sslmode=verify-ca&sslrootcert=pipe", "user list"},
		{"pipe cannot be read (it is not a regular file)", "SECRET_FILE=pipe", "user list"},
		{"pipe cannot be read (it is not a regular file)", "SECRET_NEXT_FILE=pipe", "secret rotate"},
		{"pipe: it is not a regular file", "TRACING_HEADER_FILE=pipe", "user list"},
		{"pipe.png cannot be read as a file", "BRAND_LOGO=pipe.png", "config check"},
		{"pipe.svg cannot be read as a file", "BRAND_FAVICON=pipe.svg", "config check"},
		{"pipe.woff2 cannot be read as a file", "BRAND_FONT=pipe.woff2", "config check"},
		{"pipe.png cannot be read as a file", "PROVIDERS_GOOGLE_ICON=pipe.png", "config check"},
		{"pipe.mmdb: it is not a regular file", "PLACES=pipe.mmdb", "config check"},
		{"pipe: it is not a regular file", "TLS_CERT_FILE=pipe PORTICO_TLS_KEY_FILE=pipe", "config check"},
		{"en.json: texts: it is not a file of texts", "TEXTS=words", "config check"},
	} {
		t.Run(c.setting+" "+c.command, func(t *testing.T) {
			if !strings.HasPrefix(c.command, "restore ") { // two at once refuse each other
				t.Parallel()
			}
			settings := served
			if c.setting != "" {
				settings = append(slices.Clone(served), strings.Fields("PORTICO_"+c.setting)...)
			}
			if out := command(t, dir, settings, strings.Fields(c.command)...); !strings.Contains(out, c.want) {
				t.Errorf("it prints %q, want %s", out, c.want)
			}
		})
	}
}
