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

// An import that is killed has made whole people only, and a second run makes the others.
func TestUserImport_Killed(t *testing.T) {
	t.Parallel()
	const all = 6000
	folder := t.TempDir()
	portico := func(args ...string) *exec.Cmd {
		c := exec.Command("portico", args...) // TestMain puts it into the path
		c.Dir, c.Env = folder, []string{"HOME=" + folder}
		return c
	}
	run := func(args ...string) string {
		c := portico(args...)
		c.Stderr = os.Stderr
		out, err := c.Output()
		if err != nil {
			t.Fatalf("portico %v: %v", args, err)
		}
		return string(out)
	}
	var file bytes.Buffer
	for i := range all {
		fmt.Fprintf(&file, `{"email":"p%d@example.org","email_verified":true,"name":"P","roles":["staff"],"claims":{"n":%d},`+
			`"addresses":[{"email":"p%d@home.test","verified":true}],"totp":[{"secret":"GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ"}]}`+"\n", i, i, i)
	}
	path := filepath.Join(folder, "people.jsonl")
	if err := os.WriteFile(path, file.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	run("migrate")
	killed := portico("user", "import", "--skip-bad", path)
	if err := killed.Start(); err != nil {
		t.Fatal(err)
	}
	for began := time.Now(); strings.Count(run("user", "list"), "\n") == 0; time.Sleep(10 * time.Millisecond) {
		if time.Since(began) > time.Minute {
			t.Fatal("nobody was imported")
		}
	}
	_ = killed.Process.Kill()
	_ = killed.Wait() // it was killed
	before := strings.Count(run("user", "list"), "\n")
	if before == 0 || before == all {
		t.Fatalf("the import was not killed in its middle: %d people", before)
	}
	// Everybody who is there is whole, so nothing differs.
	if got, want := run("user", "import", "--update", path), fmt.Sprintf("created\t%d\nchanged\t0\nunchanged\t%d\nbad\t0\n", all-before, before); got != want {
		t.Errorf("the second run prints\n%swant\n%s", got, want)
	}
	if after := strings.Count(run("user", "list"), "\n"); after != all {
		t.Errorf("%d people", after)
	}
}
