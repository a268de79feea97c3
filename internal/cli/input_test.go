package cli

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// A signal ends each command that waits for standard input, and nothing was done.
func TestInput_EndsWithASignal(t *testing.T) {
	t.Parallel()
	for _, command := range []string{
		"init", "user create mara@example.org --password", "user set-password ann@example.org", "user set-claims ann@example.org -",
		"user invite --file -",
	} {
		t.Run(command, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			settings, database := filepath.Join(dir, "portico.toml"), filepath.Join(dir, "portico.db")
			const empty = "# Settings of Portico.\n"
			if err := os.WriteFile(settings, []byte(empty), 0o600); err != nil {
				t.Fatal(err)
			}
			var printed strings.Builder
			p := Process{
				Stdin: strings.NewReader(""), Stdout: &printed, Stderr: &printed,
				Environ: []string{"PORTICO_CONFIG=" + settings, "PORTICO_DATABASE_URL=sqlite:" + database, "PORTICO_SECRET_FILE=" + database + ".key"},
			}
			run := func(ctx context.Context, command string) int {
				p.Args = strings.Fields(command)
				return Run(ctx, p)
			}
			if command != "init" && run(t.Context(), "migrate")+run(t.Context(), "user create ann@example.org") != 0 {
				t.Fatal(printed.String())
			}
			signaled, signal := context.WithCancel(t.Context())
			p.Stdin = readerFunc(func([]byte) (int, error) {
				signal()
				select {} // nobody types
			})
			ended := make(chan int, 1)
			go func() { ended <- run(signaled, command) }()
			select {
			case code := <-ended:
				if code != exitFailed || !strings.Contains(printed.String(), "interrupted") {
					t.Errorf("exit code %d\n%s", code, printed.String())
				}
			case <-time.After(time.Minute):
				t.Fatal("it still waits")
			}
			printed.Reset()
			if code := run(signaled, "user list"); command != "init" && (code != exitFailed || printed.String() != "portico: interrupted\n") {
				t.Errorf("a list: exit code %d\n%s", code, printed.String())
			}
			if text, err := os.ReadFile(settings); err != nil || string(text) != empty {
				t.Errorf("the settings changed: %v\n%s", err, text)
			}
		})
	}
}

// What a signal has ended in the middle says what is true now.
func TestRun_Stopped(t *testing.T) {
	t.Parallel()
	database := filepath.Join(t.TempDir(), "portico.db")
	var printed strings.Builder
	p := Process{
		Stdin: strings.NewReader(""), Stdout: &printed, Stderr: &printed,
		Environ: []string{"PORTICO_DATABASE_URL=sqlite:" + database, "PORTICO_SECRET_FILE=" + database + ".key"},
	}
	p.Args = []string{"migrate"}
	if Run(t.Context(), p) != 0 {
		t.Fatal(printed.String())
	}
	signaled, signal := context.WithCancel(t.Context())
	signal()
	for command, now := range map[string]string{
		"backup " + database + ".copy": "no file was made", "restore --replace " + database: "nothing was restored", "migrate": "run it again, and 'portico migrate --status' shows what has been applied",
		"secret rotate": "run it again, and keep both keys until it ends", "finish-restore": "run it again before a node starts",
	} {
		printed.Reset()
		p.Args = strings.Fields(command)
		if code := Run(signaled, p); code != exitFailed || printed.String() != "portico: interrupted: "+now+"\n" {
			t.Errorf("%s: exit code %d\n%s", command, code, printed.String())
		}
	}
	if _, err := os.Stat(database + ".copy"); err == nil {
		t.Error("there is a copy")
	}
}
