package security

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"
)

// binary builds the product once for the whole run.
var binary = sync.OnceValues(func() (string, error) {
	dir, err := os.MkdirTemp("", "portico-security")
	if err != nil {
		return "", err
	}
	path := filepath.Join(dir, "portico")
	build := exec.Command("go", "build", "-o", path, "./cmd/portico")
	build.Dir = ".."
	if out, err := build.CombinedOutput(); err != nil {
		return "", errors.New(string(out))
	}
	return path, nil
})

// command runs the product as an operator does, in a folder of its own, and
// returns all that it prints. A command that goes on is ended.
func command(t *testing.T, dir string, settings []string, args ...string) string {
	t.Helper()
	path, err := binary()
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	run := exec.CommandContext(ctx, path, args...)
	run.Dir = dir
	run.Env = append(settings, "PATH="+os.Getenv("PATH"), "HOME="+dir)
	out, _ := run.CombinedOutput()
	return string(out)
}

// A URL of a setting can hold a secret wherever it is wrong. No command prints
// it: operators paste what they see into issues.
func TestSEC204_CommandsPrintNoSecretOfASetting(t *testing.T) {
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
