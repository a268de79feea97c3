//go:build unix

package secret

import (
	"io/fs"
	"os"
	"syscall"
)

// exposed reports whether other users may read the file.
func exposed(info fs.FileInfo) bool {
	owner := os.Geteuid()
	if stat, ok := info.Sys().(*syscall.Stat_t); ok {
		owner = int(stat.Uid)
	}
	return exposes(info.Mode().Perm(), owner, os.Geteuid())
}

// exposes judges a mode. Root chooses the group of its file, so that group may
// read it. The owner of a file of their own needs no group.
func exposes(mode fs.FileMode, owner, self int) bool {
	if owner == 0 && self != 0 {
		return mode&0o037 != 0
	}
	return mode&0o077 != 0
}
