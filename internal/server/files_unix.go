//go:build unix

package server

import "syscall"

// openFiles returns the number of files that the process may open, or 0 if it
// is unknown. The Go runtime has already raised the soft limit to the hard
// limit.
func openFiles() int {
	var limit syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_NOFILE, &limit); err != nil {
		return 0
	}
	return int(min(limit.Cur, 1<<20))
}
