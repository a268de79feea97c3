package cli_test

import (
	"fmt"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// While an import waits for more lines, each of its threads lets the server go first.
func TestUserImport_StandsBack(t *testing.T) {
	t.Parallel()
	k := killing{t, t.TempDir(), nil}
	k.env = []string{"HOME=" + k.folder}
	k.run("migrate")
	c := k.command("user", "import", "--skip-bad", "-")
	in, err := c.StdinPipe()
	if err == nil {
		err = c.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	for began, eager := time.Now(), "none"; eager != ""; time.Sleep(10 * time.Millisecond) {
		if time.Since(began) > time.Minute {
			t.Fatalf("thread %s does not stand back", eager)
		}
		eager = eagerThread(t, c.Process.Pid)
	}
	fmt.Fprintln(in, `{"email":"mara@example.org"}`)
	if err := in.Close(); err != nil {
		t.Fatal(err)
	}
	if err := c.Wait(); err != nil {
		t.Fatal(err)
	}
}

func eagerThread(t *testing.T, process int) string {
	t.Helper()
	threads, err := filepath.Glob(fmt.Sprintf("/proc/%d/task/*", process))
	if err != nil || len(threads) == 0 {
		t.Fatalf("process %d has %d threads: %v", process, len(threads), err)
	}
	for _, thread := range threads {
		id, err := strconv.Atoi(filepath.Base(thread))
		if err != nil {
			t.Fatal(err)
		}
		if a, err := unix.SchedGetAttr(id, 0); err == nil && (a.Policy != unix.SCHED_BATCH || a.Nice < 5) {
			return filepath.Base(thread)
		}
	}
	return ""
}
