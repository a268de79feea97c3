//go:build unix

package server

import "syscall"

// openFiles returns how many files the process may have open, 0 when it is not
// known. The Go runtime has raised the limit to what is allowed.
func openFiles() int {
	var limit syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_NOFILE, &limit); err != nil {
		return 0
	}
	return int(min(limit.Cur, 1<<20))
}
