package file

import (
	"io/fs"
	"os"
	"path/filepath"
	"time"
)

const (
	// parts are the names of copies that are being written.
	parts = ".portico-copy-*"
	// partGone is how long such a file stands still until no run writes it.
	partGone = 24 * time.Hour
)

// Part makes a file in a folder, for its owner alone, in which a long copy is written before PutNew names it. It removes
// what killed runs have left.
func Part(folder string) (*os.File, error) {
	left, _ := fs.Glob(Folder(folder), parts)
	for _, name := range left {
		part := filepath.Join(folder, name)
		if info, err := os.Lstat(part); err == nil && time.Since(info.ModTime()) > partGone {
			_ = os.Remove(part)
		}
	}
	f, err := os.CreateTemp(folder, parts)
	if err != nil {
		return nil, about(folder, err)
	}
	HandOver(f)
	return f, nil
}
