package image

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// limitMemory puts a process under a memory limit, where this system lets us
// make a control group. The function that it returns reports what was used.
func limitMemory(t *testing.T, pid, bytes int) func() {
	t.Helper()
	for _, form := range []struct{ root, controller, limit, peak string }{
		{"/sys/fs/cgroup", "", "memory.max", "memory.peak"},
		{"/sys/fs/cgroup/memory", "memory", "memory.limit_in_bytes", "memory.max_usage_in_bytes"},
	} {
		group := filepath.Join(form.root, own(t, form.controller), "portico-image-"+strconv.Itoa(pid))
		if os.Mkdir(group, 0o755) != nil {
			continue
		}
		t.Cleanup(func() { _ = os.Remove(group) })
		write := func(name string, value int) error {
			file, err := os.OpenFile(filepath.Join(group, name), os.O_WRONLY, 0)
			if err != nil {
				return err
			}
			_, err = file.WriteString(strconv.Itoa(value))
			return errors.Join(err, file.Close())
		}
		if write(form.limit, bytes) != nil || write("cgroup.procs", pid) != nil {
			continue
		}
		return func() {
			peak, err := os.ReadFile(filepath.Join(group, form.peak))
			used, _ := strconv.Atoi(strings.TrimSpace(string(peak)))
			if err != nil || used == 0 {
				t.Errorf("the memory of the container: %q, %v", peak, err)
			}
			t.Logf("%d MiB of memory at most, of %d", used>>20, bytes>>20)
		}
	}
	t.Log("this system lets us set no memory limit")
	return func() {}
}

// own returns the control group of this process.
func own(t *testing.T, controller string) string {
	t.Helper()
	text, err := os.ReadFile("/proc/self/cgroup")
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(text)) {
		fields := strings.SplitN(strings.TrimSpace(line), ":", 3)
		if fields[1] == controller {
			return fields[2]
		}
	}
	return fmt.Sprintf("none-of-%s", controller)
}
