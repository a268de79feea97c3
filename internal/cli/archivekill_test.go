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
)

// An import of an archive that is killed leaves an empty installation, and a second one is whole.
func TestImport_Killed(t *testing.T) {
	t.Parallel()
	const all = 8000
	folder := t.TempDir()
	portico := func(home string, args ...string) *exec.Cmd {
		c := exec.Command("portico", args...) // TestMain puts it into the path
		c.Dir, c.Env = filepath.Join(folder, home), []string{"HOME=" + folder}
		if err := os.MkdirAll(c.Dir, 0o700); err != nil {
			t.Fatal(err)
		}
		return c
	}
	run := func(home string, args ...string) string {
		c := portico(home, args...)
		c.Stderr = os.Stderr
		out, err := c.Output()
		if err != nil {
			t.Fatalf("portico %v: %v", args, err)
		}
		return string(out)
	}
	var file bytes.Buffer
	for i := range all {
		fmt.Fprintf(&file, `{"email":"p%d@example.org","email_verified":true,"roles":["staff"],"totp":[{"secret":"GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ"}]}`+"\n", i)
	}
	people, archive := filepath.Join(folder, "people.jsonl"), filepath.Join(folder, "archive")
	if err := os.WriteFile(people, file.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	run("one", "migrate")
	run("one", "user", "import", people)
	run("one", "export", archive, "--plain")

	killed := portico("two", "import", archive)
	if err := killed.Start(); err != nil {
		t.Fatal(err)
	}
	written := func() int64 { // what the open transaction has moved out of memory
		info, err := os.Stat(filepath.Join(folder, "two/portico-data/portico.db-wal"))
		if err != nil {
			return 0
		}
		return info.Size()
	}
	for began := time.Now(); written() < 2<<20; time.Sleep(time.Millisecond) {
		if time.Since(began) > time.Minute {
			t.Fatal("nothing was written")
		}
	}
	_ = killed.Process.Kill()
	if err := killed.Wait(); err == nil {
		t.Fatal("the import was not killed in its middle")
	}
	if out := run("two", "user", "list"); out != "" {
		t.Errorf("there are %d people after the kill", strings.Count(out, "\n"))
	}
	run("two", "import", archive)
	if got, want := run("two", "user", "list", "--json"), run("one", "user", "list", "--json"); got != want || strings.Count(got, `"email"`) != all {
		t.Errorf("the second import has %d people", strings.Count(got, `"email"`))
	}
}
