package cli_test

import (
	"os"
	"path/filepath"
	"runtime"
	"syscall"
	"testing"
	"unsafe"

	"golang.org/x/sys/unix"
)

// On a disk without hard links, such as a share or FAT, all files are made: the key, a copy, and the database that is kept.
func TestWithoutHardLinks(t *testing.T) {
	t.Parallel()
	refuse(t, unix.SYS_LINKAT)
	k := killing{t, t.TempDir(), nil}
	k.env = []string{"HOME=" + k.folder}
	k.run("migrate")
	k.run("backup", "copy.db")
	k.run("user", "create", "mara@example.org")
	k.run("restore", "--replace", "copy.db")
	if people := k.run("user", "list"); people != "" {
		t.Errorf("restored with %s", people)
	}
	kept, err := filepath.Glob(filepath.Join(k.folder, "portico-data", "portico.db.replaced-*Z"))
	if err != nil || len(kept) != 1 {
		t.Fatalf("kept %q, %v", kept, err)
	}
	k.env = append(k.env, "PORTICO_DATABASE_URL=sqlite:"+kept[0])
	if people := k.run("user", "list"); people == "" {
		t.Error("nobody is in the database that was kept")
	}
}

// There, too, a key has its name at once: a process that is killed between two steps would leave an empty file.
func TestWithoutHardLinks_KeyIsWhole(t *testing.T) {
	t.Parallel()
	refuse(t, unix.SYS_LINKAT, unix.SYS_RENAMEAT) // the second step of those who make an empty file first
	k := killing{t, t.TempDir(), nil}
	k.env = []string{"HOME=" + k.folder}
	k.run("config", "new-key")
	if err := k.command("config", "new-key").Run(); err == nil {
		t.Error("the key was replaced")
	}
	k.run("migrate")
	k.run("user", "list") // opens the key
}

// refuse makes Linux answer, as such a disk does, to calls of the programs that this test starts.
func refuse(t *testing.T, calls ...uint32) {
	t.Helper()
	runtime.LockOSThread()                                                       // the filter and its thread end with the test
	filter := []unix.SockFilter{{Code: unix.BPF_LD | unix.BPF_W | unix.BPF_ABS}} // the number of the call
	for _, call := range calls {
		filter = append(filter,
			unix.SockFilter{Code: unix.BPF_JMP | unix.BPF_JEQ | unix.BPF_K, Jf: 1, K: call},
			unix.SockFilter{Code: unix.BPF_RET | unix.BPF_K, K: unix.SECCOMP_RET_ERRNO | uint32(unix.EPERM)})
	}
	filter = append(filter, unix.SockFilter{Code: unix.BPF_RET | unix.BPF_K, K: unix.SECCOMP_RET_ALLOW})
	program := unix.SockFprog{Len: uint16(len(filter)), Filter: &filter[0]}
	if err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err != nil {
		t.Skip(err)
	}
	if _, _, no := syscall.Syscall(unix.SYS_PRCTL, unix.PR_SET_SECCOMP, unix.SECCOMP_MODE_FILTER, uintptr(unsafe.Pointer(&program))); no != 0 {
		t.Skip(no)
	}
	here := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(here, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if os.Link(here, here+"-2") == nil {
		t.Fatal("there are hard links")
	}
}
