//go:build unix

package file

import (
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
)

// HandOver gives a file that root has just made to the owner of its folder. The service has a user of its own, and must
// be able to use the files that commands of root make. The file is open, so no other user can exchange it for another
// one meanwhile. A disk without owners refuses, and needs none.
func HandOver(f *os.File) {
	if os.Geteuid() != 0 {
		return
	}
	if folder, err := os.Stat(filepath.Dir(f.Name())); err == nil {
		_ = give(f, folder)
	}
}

// give gives a file to the owner of another one.
func give(f *os.File, owned fs.FileInfo) error {
	owner := owned.Sys().(*syscall.Stat_t)
	return f.Chown(int(owner.Uid), int(owner.Gid))
}

const noFollow = syscall.O_NOFOLLOW

// openFolder opens a folder, and no link to one.
func openFolder(path string) (*os.File, error) {
	return os.OpenFile(path, os.O_RDONLY|syscall.O_DIRECTORY|noFollow, 0)
}
