//go:build unix

package file_test

import (
	"errors"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"portico/internal/file"
)

// A pipe without a writer must not hold anybody up, also when it takes the place of a file
// between the look and the opening.
func TestOpen(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	in := func(name string) string { return filepath.Join(dir, name) }
	if err := os.WriteFile(in("plain"), []byte("text"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(syscall.Mkfifo(in("pipe"), 0o600), os.Symlink("pipe", in("link")), os.Symlink("plain", in("good")), os.Mkdir(in("folder"), 0o700)); err != nil {
		t.Fatal(err)
	}
	l, err := new(net.ListenConfig).Listen(t.Context(), "unix", in("socket"))
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	for _, path := range []string{in("pipe"), in("link"), in("folder"), in("socket"), os.DevNull, "/dev/zero"} {
		if _, _, err := file.Open(path); !errors.Is(err, file.ErrKind) {
			t.Errorf("%s: %v", path, err)
		}
		if _, err := file.Read(path, 1<<20); !errors.Is(err, file.ErrKind) {
			t.Errorf("%s: %v", path, err)
		}
	}
	for _, name := range []string{"plain", "good"} {
		if text, err := file.Read(in(name), 4); string(text) != "text" || err != nil {
			t.Errorf("%s: %q, %v", name, text, err)
		}
		if text, err := fs.ReadFile(file.Folder(dir), name); string(text) != "text" || err != nil {
			t.Errorf("%s in its folder: %q, %v", name, text, err)
		}
	}
	if _, err := file.Read(in("plain"), 3); !errors.As(err, new(file.TooLarge)) {
		t.Errorf("4 bytes of 3: %v", err)
	}
	for _, name := range []string{"pipe", "folder", "../plain"} {
		if _, err := fs.ReadFile(file.Folder(dir), name); err == nil {
			t.Errorf("%s in its folder is read", name)
		}
	}
	if _, err := file.Read(in("none"), 1); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("no file: %v", err)
	}
}
