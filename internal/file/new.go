package file

import (
	"errors"
	"fmt"
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

// Write makes a file that is not there yet, as New does, with a text. It then survives a power loss.
func Write(path, text string, mode fs.FileMode) error {
	return write(path, text, mode, func(f *os.File) error { HandOver(f); return nil }, PutNew)
}

// Replace exchanges the text of a file, whole or not at all. Its owner and mode stay, and so does a link to it.
func Replace(path, text string) error {
	path, err := filepath.EvalSymlinks(path)
	if err != nil {
		return err
	}
	info, err := os.Stat(path)
	if err != nil {
		return err
	}
	return write(path, text, info.Mode().Perm(), func(f *os.File) error { return give(f, info) }, os.Rename)
}

// Replaceable returns why Write or Replace would refuse a name, or nil. It changes nothing.
func Replaceable(path string) error {
	if target, err := filepath.EvalSymlinks(path); err == nil {
		path = target
	}
	f, err := os.CreateTemp(filepath.Dir(path), ".part-*")
	if err != nil {
		return about(path, err)
	}
	info, absent := os.Stat(path)
	if absent == nil {
		err = give(f, info)
	}
	if err := errors.Join(err, f.Close(), os.Remove(f.Name())); err != nil {
		return about(path, err)
	}
	err = os.Link(path, f.Name())
	switch {
	case err == nil:
		return os.Remove(f.Name())
	case errors.Is(err, syscall.EXDEV): // from a file to its own folder
		return fmt.Errorf("%s is mounted by itself, and cannot be replaced: mount its folder in place of it", path)
	}
	return nil // there is no file yet, or the disk has no hard links
}

// write writes a file beside the path, which gets its owner and then this name.
func write(path, text string, mode fs.FileMode, own func(*os.File) error, put func(part, path string) error) error {
	f, err := os.CreateTemp(filepath.Dir(path), ".part-*") // for its owner alone
	if err != nil {
		return err
	}
	defer os.Remove(f.Name())
	_, err = f.WriteString(text)
	if err = errors.Join(err, own(f), f.Chmod(mode), f.Sync(), f.Close()); err != nil {
		return err
	}
	if err = put(f.Name(), path); err != nil {
		return err
	}
	return Sync(filepath.Dir(path))
}

// PutNew gives a file another name, which no file has. The former name may stay. Where the system can neither make hard
// links nor rename without replacing, the other name has an empty file for a moment.
func PutNew(part, path string) error {
	err := os.Link(part, path) // a rename would replace an existing file
	if err == nil || errors.Is(err, fs.ErrExist) {
		return err
	}
	if err = renameNew(part, path); err == nil || errors.Is(err, fs.ErrExist) {
		return err
	}
	f, err := New(path, 0o600)
	if err != nil {
		return err
	}
	return errors.Join(f.Close(), os.Rename(part, path))
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
