package faults

import (
	"fmt"
	"runtime"
	"unsafe"

	"golang.org/x/sys/unix"
)

// limitFiles makes a running process fail each write beyond a file size
// (EFBIG).
func limitFiles(pid int, bytes uint64) error {
	return unix.Prlimit(pid, unix.RLIMIT_FSIZE, &unix.Rlimit{Cur: bytes, Max: unix.RLIM_INFINITY}, nil)
}

const unlimited = uint64(unix.RLIM_INFINITY)

// failSyncs makes fsync and fdatasync fail in this process from now on (EIO),
// as on a dying disk.
func failSyncs() error {
	const (
		load  = unix.BPF_LD | unix.BPF_W | unix.BPF_ABS
		equal = unix.BPF_JMP | unix.BPF_JEQ | unix.BPF_K
		ret   = unix.BPF_RET | unix.BPF_K
	)
	program := []unix.SockFilter{
		{Code: load, K: 0}, // the number of the system call
		{Code: equal, K: unix.SYS_FDATASYNC, Jt: 2},
		{Code: equal, K: unix.SYS_FSYNC, Jt: 1},
		{Code: ret, K: unix.SECCOMP_RET_ALLOW},
		{Code: ret, K: unix.SECCOMP_RET_ERRNO | uint32(unix.EIO)},
	}
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	if err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err != nil {
		return fmt.Errorf("no new privileges: %w", err)
	}
	filter := unix.SockFprog{Len: uint16(len(program)), Filter: &program[0]}
	_, _, failure := unix.Syscall(unix.SYS_SECCOMP, unix.SECCOMP_SET_MODE_FILTER, unix.SECCOMP_FILTER_FLAG_TSYNC, uintptr(unsafe.Pointer(&filter)))
	if failure != 0 {
		return fmt.Errorf("seccomp: %w", failure)
	}
	return nil
}

// mountSmall mounts a file system in memory at a folder. Only root may do that.
func mountSmall(dir string, bytes int) error {
	return unix.Mount("tmpfs", dir, "tmpfs", 0, fmt.Sprintf("size=%d", bytes))
}

func mountReadOnly(dir string) error {
	return unix.Mount("", dir, "", unix.MS_REMOUNT|unix.MS_RDONLY, "")
}

func unmount(dir string) { _ = unix.Unmount(dir, unix.MNT_DETACH) }
