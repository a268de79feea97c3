package file_test

import (
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"portico/internal/file"
)

// A file that is mounted by itself, as into a container, can be written and not replaced. That is said before, and nothing changes.
func TestReplaceable(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	path := filepath.Join(dir, "settings")
	if err := errors.Join(os.WriteFile(path, []byte("text"), 0o640), os.Symlink("settings", filepath.Join(dir, "link"))); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"settings", "link", "none"} {
		if err := file.Replaceable(filepath.Join(dir, name)); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	for _, name := range []string{"/proc/none", filepath.Join(dir, "none", "settings")} {
		if file.Replaceable(name) == nil {
			t.Errorf("%s could be made", name)
		}
	}
	if all, err := os.ReadDir(dir); err != nil || len(all) != 2 {
		t.Errorf("the folder has %v, %v", all, err)
	}
	runtime.LockOSThread() // the mounts are those of this thread, which ends with the test
	if err := unix.Unshare(unix.CLONE_NEWNS); err != nil {
		t.Skip(err)
	}
	if err := errors.Join(unix.Mount("", "/", "", unix.MS_REC|unix.MS_PRIVATE, ""), unix.Mount(path, path, "", unix.MS_BIND, "")); err != nil {
		t.Skip(err)
	}
	defer unix.Unmount(path, 0)
	if err := file.Replaceable(path); err == nil || !strings.Contains(err.Error(), "mount its folder in place of it") {
		t.Errorf("a mounted file: %v", err)
	}
	if file.Replace(path, "other") == nil {
		t.Error("a mounted file was replaced")
	}
}
