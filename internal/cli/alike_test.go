package cli_test

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"portico/internal/cli"
	"portico/internal/config"
)

// attempt runs a command in a folder of its own, and returns its exit code, what it said and the
// files that it made.
func attempt(t *testing.T, command string, settings []string, toml string) (code int, said string, made []string) {
	t.Helper()
	folder := t.TempDir()
	file := filepath.Join(t.TempDir(), "portico.toml")
	if err := os.WriteFile(file, []byte(toml), 0o600); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	var stderr bytes.Buffer
	environ := append([]string{
		"PORTICO_CONFIG=" + file, "PORTICO_PUBLIC_URL=https://login.test", "PORTICO_SMTP_URL=smtp://127.0.0.1:1?tls=none", "PORTICO_MAIL_FROM=a@login.test",
		"PORTICO_LISTEN=127.0.0.1:0", "PORTICO_OPS_LISTEN=127.0.0.1:0", "PORTICO_TRUSTED_PROXIES=127.0.0.1",
		"PORTICO_DATABASE_URL=sqlite:" + folder + "/data/portico.db", "PORTICO_SECRET_FILE=" + folder + "/data/secret.key",
	}, settings...)
	last := map[string]string{} // later lines win
	for _, line := range environ {
		name, _, _ := strings.Cut(line, "=")
		last[name] = line
	}
	environ = environ[:0]
	for _, line := range last {
		environ = append(environ, line)
	}
	code = cli.Run(ctx, cli.Process{
		Program: "portico", Args: strings.Fields(command), Environ: environ, Stdin: strings.NewReader(""), Stdout: &bytes.Buffer{}, Stderr: &stderr,
	})
	entries, err := os.ReadDir(folder)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		made = append(made, e.Name())
	}
	return code, strings.NewReplacer(folder, "FOLDER", file, "FILE").Replace(stderr.String()), made
}

// alike checks that config check and serve refuse settings in the same words, and make nothing.
func alike(t *testing.T, settings []string, toml string) {
	t.Helper()
	code, said, made := attempt(t, "config check", settings, toml)
	if code != 2 || made != nil {
		t.Errorf("%q %s: config check ends with %d, makes %q and says %s", settings, toml, code, made, said)
	}
	served, says, made := attempt(t, "serve", settings, toml)
	if served != 2 || says != said || made != nil {
		t.Errorf("%q %s: serve ends with %d, makes %q and says %s, and config check says %s", settings, toml, served, made, says, said)
	}
}

// Each setting is refused by both commands in the same words.
func TestServe_RefusesEachSetting(t *testing.T) {
	t.Parallel()
	cfg := config.Default()
	for _, e := range cfg.Entries() {
		alike(t, []string{e.Env + "=a\u202eb"}, "")
	}
}

// Both commands find the settings that only a constructor refuses, before there is a database.
func TestServe_RefusesBeforeItMakesADatabase(t *testing.T) {
	t.Parallel()
	broken := filepath.Join(t.TempDir(), "broken")
	if err := os.WriteFile(broken, []byte("x"), 0o600); err != nil {
		t.Fatal(err)
	}
	texts := t.TempDir()
	if err := os.WriteFile(filepath.Join(texts, "en.json"), []byte(`{"signin.titel": "x"}`), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, set := range []string{
		"SMTP_URL=smtp://user@mail.test", "SMTP_URL=smtp://mail.test:0", "SMTP_URL=smtp://u:p/w@mail.test", "MAIL_FROM=no-reply@[192.0.2.1]", `MAIL_FROM="a b"@mail.test`,
		"MAIL_REPLY_TO=nobody", "FIRST_ADMIN=nobody", "LOCALE=fi", "TEXTS=" + texts, "SECRET_FILE=" + broken, "SECRET_NEXT_FILE=" + broken, "DATABASE_URL=sqlite://portico.db",
		"DATABASE_URL=postgres://u:p@localhost/x?no_such=1", "RULES=signedin /*", "BRAND_COLOUR=#ffff00", "PROVIDERS_APPLE_CLIENT_SECRET=x", "PROVIDERS_GOGLE_CLIENT_ID=x",
		"TLS_CERT_FILE=" + broken, "TLS_KEY_FILE=" + broken, "LEGAL_TERMS=https://login.test/terms",
	} {
		alike(t, []string{"PORTICO_" + set}, "")
	}
	alike(t, []string{"PORTICO_HASHING_SLOTS=1000", "PORTICO_HASHING_MEMORY_MIB=256"}, "")
	for _, toml := range []string{
		"[[app]]\nname = \"a\"\nrules = [\"signedin /*\"]", "[[app]]\nname = \"a\"\nheaders = [\"Remote-User: mail\"]", "[[app]]\nname = \"a\"\npath = \"/a/../b\"",
		"[[client]]\nid = \"a\"\nsecret = \"short\"\nredirect_uris = [\"https://a.test/cb\"]",
		"[[webhook]]\nname = \"a\"\nurl = \"https://a.test/\"\nsecret = \"whsec_short\"",
		"[[webhook]]\nname = \"a\"\nurl = \"https://a.test/\"\nsecret = \"whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw\"\nevents = [\"account.create\"]",
		"[signup]\nask = \"https://app.test/\"\nask_secret = \"whsec_short\"",
		"[signin]\nlegacy = \"https://old.test/\"\nlegacy_secret = \"whsec_short\"\nlegacy_until = \"2027-01-31\"",
		"[[client]]\nid = \"a\"\njwks = \"{}\"\nredirect_uris = [\"https://a.test/cb\"]",
		"[[client]]\nid = \"a\"\npublic = true\nrules = [\"role:\"]\nredirect_uris = [\"https://a.test/cb\"]",
	} {
		alike(t, nil, toml)
	}
}

// An address that is not here is found before there is a database. config check may run on another machine.
func TestServe_RefusesAnAddressThatIsNotHere(t *testing.T) {
	t.Parallel()
	code, said, made := attempt(t, "serve", []string{"PORTICO_LISTEN=203.0.113.1:0"}, "")
	if code != 1 || made != nil || !strings.Contains(said, "listen") {
		t.Errorf("serve ends with %d, makes %q and says %s", code, made, said)
	}
}
