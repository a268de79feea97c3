package file

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
)

// New makes a file that is not there yet, and opens it. If there is one, the error wraps fs.ErrExist.
func New(path string, mode fs.FileMode) (*os.File, error) {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE|os.O_EXCL, mode)
	if err != nil {
		return nil, err
	}
	HandOver(f)
	return f, nil
}

// Ensure opens a file for reading and writing, and makes it when it is not there.
func Ensure(path string, mode fs.FileMode) (*os.File, error) {
	f, err := New(path, mode)
	if errors.Is(err, fs.ErrExist) {
		return os.OpenFile(path, os.O_RDWR|os.O_CREATE, mode)
	}
	return f, err
}

// NewFolders makes a folder and its missing parents, for their owner alone.
func NewFolders(path string) error {
	if info, err := os.Stat(path); err == nil && info.IsDir() {
		return nil
	}
	if parent := filepath.Dir(path); parent != path {
		if err := NewFolders(parent); err != nil {
			return err
		}
	}
	if err := os.Mkdir(path, 0o700); err != nil {
		if info, serr := os.Stat(path); serr == nil && info.IsDir() {
			return nil // another process was faster
		}
		return err
	}
	f, err := openFolder(path)
	if err != nil {
		return err
	}
	HandOver(f)
	return f.Close()
}
