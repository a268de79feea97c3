package cli

import (
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// readerFunc is a reader that calls a function.
type readerFunc func([]byte) (int, error)

func (f readerFunc) Read(p []byte) (int, error) { return f(p) }

// While one 'portico init' waits at a question, another one begins the installation. That one stays whole.
func TestInit_BegunMeanwhile(t *testing.T) {
	t.Parallel()
	for name, filled := range map[string]string{"no settings": "", "settings of the package": "# Settings of Portico.\n"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			settings := filepath.Join(dir, "portico.toml")
			if filled != "" {
				if err := os.WriteFile(settings, []byte(filled), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			data := filepath.Join(dir, "data")
			portico := func(in io.Reader, args ...string) (code int, out string) {
				var printed strings.Builder
				code = Run(t.Context(), Process{
					Args: append([]string{"--config", settings}, args...), Stdin: in, Stdout: &printed, Stderr: &printed,
					Environ: []string{"PORTICO_DATABASE_URL=sqlite:" + data + "/portico.db", "PORTICO_SECRET_FILE=" + data + "/secret.key"},
				})
				return code, printed.String()
			}
			flags := []string{"init", "--public-url", "https://login.example.org", "--smtp-url", "smtp://mail.example.org", "--mail-from", "a@example.org", "--admin", "mara@example.org"}
			begun := ""
			code, out := portico(readerFunc(func([]byte) (int, error) {
				if code, out := portico(strings.NewReader(""), append(flags, "--proxy", "none")...); code != exitDone {
					t.Errorf("the second one: exit code %d\n%s", code, out)
				}
				text, err := os.ReadFile(settings)
				if err != nil {
					t.Error(err)
				}
				begun = string(text)
				return 0, io.EOF
			}), append(flags, "--proxy", "caddy")...)
			if code != exitExists || !strings.Contains(out, settings+" already exists") {
				t.Errorf("exit code %d\n%s", code, out)
			}
			if text, err := os.ReadFile(settings); err != nil || string(text) != begun {
				t.Errorf("the settings changed: %v\n%s", err, text)
			}
			if made, err := os.ReadDir(dir); err != nil || len(made) != 2 {
				t.Errorf("the folder has %v, %v", made, err)
			}
			if code, out := portico(nil, "user", "link", "mara@example.org"); code != exitDone {
				t.Errorf("the database and the key: exit code %d\n%s", code, out)
			}
		})
	}
}
