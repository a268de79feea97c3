//go:build unix

package file_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"portico/internal/file"
)

// The service has a user of its own, and commands are run by root: what root makes belongs to the owner of the
// folder, and what was there keeps its owner.
func TestNew_BelongsToTheOwnerOfItsFolder(t *testing.T) {
	t.Parallel()
	if os.Geteuid() != 0 {
		t.Skip("only root can give a file to another user")
	}
	const user, group = 12345, 12346
	state := filepath.Join(t.TempDir(), "state")
	if err := errors.Join(os.Mkdir(state, 0o700), os.Chown(state, user, group)); err != nil {
		t.Fatal(err)
	}
	owned := func(path string, uid, gid uint32, mode fs.FileMode) {
		t.Helper()
		info, err := os.Lstat(path)
		if err != nil {
			t.Fatal(err)
		}
		if s := info.Sys().(*syscall.Stat_t); s.Uid != uid || s.Gid != gid || info.Mode().Perm() != mode {
			t.Errorf("%s belongs to %d:%d, mode %o", path, s.Uid, s.Gid, info.Mode().Perm())
		}
	}
	deep := filepath.Join(state, "keys", "of", "2026")
	if err := errors.Join(file.NewFolders(deep), file.NewFolders(deep)); err != nil {
		t.Fatal(err)
	}
	owned(deep, user, group, 0o700)
	owned(filepath.Join(state, "keys"), user, group, 0o700)
	key := filepath.Join(deep, "key")
	for _, open := range []func(string, fs.FileMode) (*os.File, error){file.New, file.Ensure, file.Fill} {
		f, err := open(key, 0o600)
		if err != nil {
			t.Fatal(err)
		}
		_ = f.Close()
		owned(key, user, group, 0o600)
	}
	if _, err := file.New(key, 0o600); !errors.Is(err, fs.ErrExist) {
		t.Errorf("made again: %v", err)
	}
	text := filepath.Join(deep, "text")
	if err := file.Write(text, "text", 0o644); err != nil {
		t.Fatal(err)
	}
	owned(text, user, group, 0o644)
	mine := filepath.Join(deep, "mine")
	if err := os.WriteFile(mine, nil, 0o640); err != nil {
		t.Fatal(err)
	}
	f, err := file.Ensure(mine, 0o600)
	if err != nil {
		t.Fatal(err)
	}
	_ = f.Close()
	owned(mine, 0, 0, 0o640)
	if err := file.Replace(mine, "other"); err != nil {
		t.Fatal(err)
	}
	owned(mine, 0, 0, 0o640)
	if err := file.NewFolders(filepath.Join(mine, "below")); err == nil {
		t.Error("a folder was made below a file")
	}
}

// A file gets another text whole or not at all, and a new one is never put in its place.
func TestReplace(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	in := func(name string) string { return filepath.Join(dir, name) }
	holds := func(name, want string) {
		t.Helper()
		if text, err := os.ReadFile(in(name)); err != nil || string(text) != want {
			t.Errorf("%s holds %q, %v", name, text, err)
		}
	}
	if err := errors.Join(file.Write(in("text"), "one", 0o640), os.Symlink("text", in("link")), os.Link(in("text"), in("former"))); err != nil {
		t.Fatal(err)
	}
	if err := file.Write(in("text"), "two", 0o600); !errors.Is(err, fs.ErrExist) {
		t.Errorf("made again: %v", err)
	}
	holds("text", "one")
	if err := file.Replace(in("link"), "two"); err != nil {
		t.Fatal(err)
	}
	holds("text", "two")
	holds("former", "one") // nobody reads the first half of two
	if info, err := os.Lstat(in("link")); err != nil || info.Mode().Type() != fs.ModeSymlink {
		t.Errorf("the link is %v, %v", info, err)
	}
	if info, err := os.Stat(in("text")); err != nil || info.Mode().Perm() != 0o640 {
		t.Errorf("the text has %v, %v", info, err)
	}
	if err := errors.Join(file.Replace(in("none"), ""), file.Write(in("none/text"), "", 0o600)); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("no file: %v", err)
	}
	if all, err := os.ReadDir(dir); err != nil || len(all) != 3 {
		t.Errorf("the folder has %v, %v", all, err)
	}
}

// Who can write into a folder does not choose what Fill changes: a link, a device and a file with lines stay as they are.
func TestFill(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	in := func(name string) string { return filepath.Join(dir, name) }
	if err := errors.Join(os.WriteFile(in("empty"), nil, 0o644), os.WriteFile(in("lines"), []byte("a\n"), 0o644), syscall.Mkfifo(in("pipe"), 0o644),
		os.Symlink("empty", in("link")), os.Symlink("none", in("dangling"))); err != nil {
		t.Fatal(err)
	}
	reader, err := os.OpenFile(in("pipe"), os.O_RDONLY|syscall.O_NONBLOCK, 0) // otherwise nobody can write into it
	if err != nil {
		t.Fatal(err)
	}
	defer reader.Close()
	for name, want := range map[string]error{"lines": fs.ErrExist, "pipe": file.ErrKind, "link": syscall.ELOOP, "dangling": syscall.ELOOP} {
		if _, err := file.Fill(in(name), 0o600); !errors.Is(err, want) {
			t.Errorf("%s: %v", name, err)
		}
		if info, err := os.Stat(in(name)); name != "dangling" && (err != nil || info.Mode().Perm() != 0o644) {
			t.Errorf("%s was changed: %v, %v", name, info, err)
		}
	}
	if _, err := os.Stat(in("none")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a link was followed: %v", err)
	}
	f, err := file.Fill(in("empty"), 0o600)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if info, err := f.Stat(); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v, %v", info, err)
	}
}
