package cli_test

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"portico/internal/store/pgtest"
)

// killing is an installation whose imports are killed.
type killing struct {
	*testing.T
	folder string
	env    []string
}

func (k killing) command(args ...string) *exec.Cmd {
	c := exec.Command("portico", args...) // TestMain puts it into the path
	c.Dir, c.Env = k.folder, k.env
	return c
}

func (k killing) run(args ...string) string {
	k.Helper()
	c := k.command(args...)
	c.Stderr = os.Stderr
	out, err := c.Output()
	if err != nil {
		k.Fatalf("portico %v: %v", args, err)
	}
	return string(out)
}

const allKilled = 6000

// people writes a file of people, whose names, roles and claims have a mark.
func (k killing) people(mark string) (path string) {
	k.Helper()
	var file bytes.Buffer
	for i := range allKilled {
		fmt.Fprintf(&file, `{"email":"p%d@example.org","email_verified":true,"name":"%s","roles":["%s"],"claims":{"%s":%d},`+
			`"addresses":[{"email":"p%d@home.test","verified":true}],"totp":[{"secret":"GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ"}],"recovery_codes":["code-%04d"]}`+"\n", i, mark, mark, mark, i, i, i)
	}
	path = filepath.Join(k.folder, mark+".jsonl")
	if err := os.WriteFile(path, file.Bytes(), 0o600); err != nil {
		k.Fatal(err)
	}
	return path
}

// kill starts an import, and kills it when the first people have the mark.
func (k killing) kill(mark string, args ...string) {
	k.Helper()
	c := k.command(append([]string{"user", "import", "--skip-bad"}, args...)...)
	if err := c.Start(); err != nil {
		k.Fatal(err)
	}
	for began := time.Now(); k.marked(mark) == 0; time.Sleep(10 * time.Millisecond) {
		if time.Since(began) > time.Minute {
			k.Fatal("nobody was imported")
		}
	}
	_ = c.Process.Kill()
	_ = c.Wait() // it was killed
	if n := k.marked(mark); n == allKilled {
		k.Fatal("the import was not killed in its middle")
	}
}

func (k killing) marked(mark string) int { return strings.Count(k.run("user", "list"), "\t"+mark+"\n") }

// An import that is killed has made, or changed, whole people only, and a second run does the rest.
func TestUserImport_Killed(t *testing.T) {
	t.Parallel()
	for _, engine := range []string{"sqlite", "postgres"} {
		t.Run(engine, func(t *testing.T) {
			t.Parallel()
			k := killing{t, t.TempDir(), nil}
			k.env = []string{"HOME=" + k.folder}
			if engine == "postgres" {
				k.env = append(k.env, "PORTICO_DATABASE_URL="+pgtest.Empty(t), "PORTICO_SECRET_FILE="+filepath.Join(k.folder, "secret.key"))
				k.run("config", "new-key")
			}
			k.run("migrate")
			first, second := k.people("old"), k.people("new")
			k.kill("old", first)
			// Everybody who is there is whole, so nothing differs.
			k.counts(k.run("user", "import", "--update", first), "created", "unchanged")
			if n := k.marked("old"); n != allKilled {
				t.Errorf("%d people", n)
			}
			k.kill("new", "--update", second)
			// Whoever differs does so in each field.
			out := k.run("user", "import", "--update", second)
			changed := k.counts(out, "changed", "unchanged")
			for _, field := range []string{"name", "roles", "claims"} {
				if !strings.Contains(out, fmt.Sprintf("changed field\t%s\t%d\n", field, changed)) {
					t.Errorf("half of a person was changed:\n%s", out)
				}
			}
			if n := k.marked("new"); n != allKilled {
				t.Errorf("%d people have changed", n)
			}
		})
	}
}

// counts wants two counts of a summary, above zero, to be of all people. It returns the first one.
func (k killing) counts(out, one, other string) int {
	k.Helper()
	counts := map[string]int{}
	for line := range strings.Lines(out) {
		var name string
		var n int
		if _, err := fmt.Sscanf(line, "%s\t%d", &name, &n); err == nil {
			counts[name] = n
		}
	}
	if a, b := counts[one], counts[other]; a == 0 || b == 0 || a+b != allKilled {
		k.Errorf("the second run prints\n%s", out)
	}
	return counts[one]
}
