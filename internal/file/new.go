package file

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
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

// Fill opens a file for writing, and makes it when it is not there. One that is there is empty and no link: a stranger
// in a shared folder must not choose what is written, and lines of another process stay.
func Fill(path string, mode fs.FileMode) (*os.File, error) {
	f, err := New(path, mode)
	if !errors.Is(err, fs.ErrExist) {
		return f, err
	}
	if f, err = os.OpenFile(path, os.O_WRONLY|syscall.O_NONBLOCK|noFollow, 0); err != nil {
		return nil, err
	}
	info, err := f.Stat()
	if err = judge(path, info, err); err == nil && info.Size() > 0 {
		err = &fs.PathError{Op: "open", Path: path, Err: fs.ErrExist}
	}
	if err == nil {
		err = f.Chmod(mode)
	}
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return f, nil
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
