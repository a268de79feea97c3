package config_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"portico/internal/config"
)

// A file that holds a secret and that every user can read causes a warning. The
// warning names the command that fixes it.
func TestWarnings_FileThatOthersCanRead(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		text string
		mode os.FileMode
		key  string // of the warning; "" for none
	}{
		"password of the mail server": {"smtp_url = \"smtp://u:hunter2@mail.test\"\n", 0o644, "smtp_url"},
		"password of the database":    {"database_url = \"postgres://u:hunter2@localhost/x\"\n", 0o604, "database_url"},
		"secret of a provider":        {"[providers.google]\nclient_id = \"c\"\nclient_secret = \"hunter2\"\n", 0o644, "providers.google.client_secret"},
		"header of a collector":       {"[tracing]\nendpoint = \"http://127.0.0.1:4318\"\nheader = \"Authorization: hunter2\"\n", 0o644, "tracing.header"},
		"private":                     {"smtp_url = \"smtp://u:hunter2@mail.test\"\n", 0o600, ""},
		"for a group":                 {"smtp_url = \"smtp://u:hunter2@mail.test\"\n", 0o640, ""},
		"no secret in it":             {"smtp_url = \"smtp://mail.test\"\ndatabase_url = \"sqlite:p.db\"\n", 0o644, ""},
	} {
		path := filepath.Join(openFolder(t), "portico.toml")
		if err := os.WriteFile(path, []byte(test.text), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Chmod(path, test.mode); err != nil {
			t.Fatal(err)
		}
		cfg, err := config.Load(path, []string{"PORTICO_LOG_LEVEL=info"})
		if err != nil {
			t.Fatal(err)
		}
		got := ""
		for _, p := range cfg.Warnings() {
			if strings.Contains(p.Write, "chmod o-rwx "+path) {
				got = p.Key
			}
			if strings.Contains(p.String(), "hunter2") {
				t.Errorf("%s: the warning shows the secret: %s", name, p)
			}
		}
		if got != test.key {
			t.Errorf("%s: the warning names %q, want %q", name, got, test.key)
		}
	}
	// A secret in the environment is not in the file.
	path := filepath.Join(openFolder(t), "portico.toml")
	if err := os.WriteFile(path, []byte("smtp_url = \"smtp://u:old@mail.test\"\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	cfg, err := config.Load(path, []string{"PORTICO_DATABASE_URL=postgres://u:hunter2@localhost/x", "PORTICO_SMTP_URL=smtp://mail.test"})
	if err != nil || len(cfg.Warnings()) != 0 {
		t.Errorf("%v, %v", cfg.Warnings(), err)
	}
}

// openFolder makes a folder that every user can reach: t.TempDir is in a closed one.
func openFolder(t *testing.T) string {
	t.Helper()
	folder, err := os.MkdirTemp("/tmp", "portico")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(folder) })
	if err := os.Chmod(folder, 0o755); err != nil {
		t.Fatal(err)
	}
	return folder
}

// So does a secret in a file of its own, unless its folder is closed.
func TestWarnings_SecretThatOthersCanRead(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		text         string
		file, folder os.FileMode
		warns        bool
	}{
		"named in the settings":    {"smtp_url_file = \"PATH\"\n", 0o644, 0o755, true},
		"named in the environment": {"", 0o604, 0o755, true},
		"of a webhook":             {"[[webhook]]\nname = \"shop\"\nurl = \"https://shop.test\"\nevents = [\"*\"]\nsecret_file = \"PATH\"\n", 0o644, 0o755, true},
		"for a group":              {"smtp_url_file = \"PATH\"\n", 0o640, 0o755, false},
		"in a closed folder":       {"smtp_url_file = \"PATH\"\n", 0o644, 0o700, false},
	} {
		folder, content := openFolder(t), "smtp://u:hunter2@mail.test"
		path := filepath.Join(folder, "secret")
		if strings.Contains(test.text, "webhook") {
			content = "whsec_" + strings.Repeat("hunter2A", 5) + "hunter0="
		}
		if err := errors.Join(os.WriteFile(path, []byte(content), 0o600), os.Chmod(path, test.file), os.Chmod(folder, test.folder)); err != nil {
			t.Fatal(err)
		}
		var environ []string
		if test.text == "" {
			environ = []string{"PORTICO_SMTP_URL_FILE=" + path}
		}
		cfg, err := config.Parse("portico.toml", strings.ReplaceAll(test.text, "PATH", path), environ)
		if err != nil {
			t.Fatal(err)
		}
		var said string
		for _, p := range cfg.Warnings() {
			said += p.String()
		}
		if strings.Contains(said, "chmod o-rwx "+path) != test.warns || strings.Contains(said, "hunter2") {
			t.Errorf("%s: %s", name, said)
		}
	}
}

// The public host has two years of https for all subdomains, unless somebody decided about it.
func TestWarnings_SubdomainsOfAWholeDomain(t *testing.T) {
	t.Parallel()
	for text, warns := range map[string]bool{
		`public_url = "https://example.com"`:                            true,
		`public_url = "https://example.co.uk:8443"`:                     true,
		"public_url = \"https://example.com\"\nhsts_subdomains = true":  false,
		"public_url = \"https://example.com\"\nhsts_subdomains = false": false,
		`public_url = "https://login.example.com"`:                      false,
		`public_url = "https://portico.test"`:                           false,
		`public_url = "https://192.0.2.1"`:                              false,
		`public_url = "http://localhost"`:                               false,
	} {
		path := filepath.Join(t.TempDir(), "portico.toml")
		if err := os.WriteFile(path, []byte(text+"\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		cfg, err := config.Load(path, []string{"PORTICO_TRUSTED_PROXIES=127.0.0.1"})
		if err != nil {
			t.Fatal(err)
		}
		found := cfg.Warnings()
		if (len(found) == 1) != warns || warns && found[0].Key != "hsts_subdomains" {
			t.Errorf("%s: %v, want a warning: %v", text, found, warns)
		}
	}
}

// A database on another host without TLS causes a warning, also where a parameter names the host.
func TestWarnings_DatabaseWithoutTLS(t *testing.T) {
	t.Parallel()
	for url, warns := range map[string]bool{
		"postgres://u:hunter2@db.test/x?sslmode=disable":            true,
		"postgres:///x?host=db.test&sslmode=disable":                true,
		"postgres://u:hunter2@db.test/x?sslmode=verify-full":        false,
		"postgres://u:hunter2@127.0.0.1/x?sslmode=disable":          false,
		"postgres:///x?host=/run/postgresql&sslmode=disable":        false,
		"postgres://db.test/x?host=/run/postgresql&sslmode=disable": false,
		"postgres://u:hunter2@database/x?sslmode=disable":           false, // packaging/compose
		"sqlite:portico.db": false,
	} {
		cfg, err := config.Load("", []string{"PORTICO_DATABASE_URL=" + url})
		if err != nil {
			t.Fatal(err)
		}
		found := cfg.Warnings()
		if (len(found) == 1) != warns || warns && (found[0].Key != "database_url" || !strings.Contains(found[0].Why, "db.test is without TLS")) {
			t.Errorf("%s: %v, want a warning: %v", url, found, warns)
		}
	}
}
