//go:build linux || darwin

package doctor

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"syscall"
)

const (
	mib = 1 << 20

	// Below full, a start or a night of registrations may fail. Below tight,
	// the operator should act soon.
	full, tight = 64 * mib, 1024 * mib

	writable = 2 // W_OK of access(2)
)

// disk checks that the database is writable and has space to grow.
func (d *doctor) disk(_ context.Context, r *report) {
	file := d.file()
	folder := filepath.Dir(file)
	for {
		if _, err := os.Stat(folder); err == nil || filepath.Dir(folder) == folder {
			break
		}
		folder = filepath.Dir(folder) // the first start creates the rest
	}
	for _, path := range []string{folder, file, file + "-wal", file + "-shm"} {
		if _, err := os.Stat(path); err == nil && syscall.Access(path, writable) != nil {
			r.add(Failed, fmt.Sprintf("this user (%d) may not write %s", os.Geteuid(), path), "run this as the user that runs 'portico serve'; if you do already, give the files to that user")
		}
	}
	if info, err := os.Stat(file); err == nil {
		if owner, ok := info.Sys().(*syscall.Stat_t); ok && int(owner.Uid) != os.Geteuid() {
			r.add(Warning, fmt.Sprintf("%s belongs to user %d, and this is user %d", file, owner.Uid, os.Geteuid()), "run this and 'portico serve' as the same user")
		}
	}
	var s syscall.Statfs_t
	if err := syscall.Statfs(folder, &s); err != nil {
		r.add(Failed, folder+": "+err.Error(), "look at the disk")
		return
	}
	d.space(r, folder, uint64(s.Bavail)*uint64(s.Bsize))
}

func (d *doctor) space(r *report, folder string, free uint64) {
	found := fmt.Sprintf("%d MiB are free for %s", free/mib, folder)
	switch {
	case free < full:
		r.add(Failed, found, "make room: writes fail when it is used up, and nothing that was confirmed is lost")
	case free < tight:
		r.add(Warning, found, "make room")
	case len(r.found) == 0:
		r.add(OK, found, "")
	}
}
