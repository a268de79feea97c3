// Package file reads the files that an operator names, in settings and for commands, and makes the files of an
// installation.
//
// Invariants:
//   - Only a regular file is read. A pipe could make the process wait for its writer for
//     ever, and a device has no end.
//   - The file that was opened is judged once more: another one may have its name by now.
//   - A file or folder that root makes belongs to the owner of the folder that it is in.
//
// It does not know what a file is for.
package file

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"unicode/utf8"

	"portico/internal/legible"
)

// ErrKind says that a name leads to a folder, a pipe, a socket or a device.
var ErrKind = errors.New("it is not a regular file")

// ErrEncoding says that a text has another encoding, such as UTF-16.
var ErrEncoding = errors.New("it is not in UTF-8: save it in this encoding")

// TooLarge says that a file has more bytes than its reader takes. It is their number.
type TooLarge int64

func (n TooLarge) Error() string { return fmt.Sprintf("it has %d bytes, which is too large", int64(n)) }

// Check returns why Open refuses a name, or nil. It opens nothing.
func Check(path string) error {
	info, err := os.Stat(path)
	return judge(path, info, err)
}

func judge(path string, info fs.FileInfo, err error) error {
	if err == nil && !info.Mode().IsRegular() {
		err = ErrKind
	}
	if err == nil {
		return nil
	}
	return about(path, err)
}

// about returns an error with the path that an operator knows, and without its call, such as statx.
func about(path string, err error) error {
	if failed, ok := errors.AsType[*fs.PathError](err); ok {
		err = failed.Err
	}
	return &fs.PathError{Op: "open", Path: path, Err: err}
}

// Plain returns an error of this package with the path first, and without the call that failed.
func Plain(err error) error {
	if failed, ok := errors.AsType[*fs.PathError](err); ok {
		return fmt.Errorf("%s: %w", failed.Path, failed.Err)
	}
	return err
}

// Open opens a regular file for reading.
func Open(path string) (*os.File, fs.FileInfo, error) {
	if err := Check(path); err != nil { // opening alone moves some devices
		return nil, nil, err
	}
	f, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK, 0) // of a pipe, without its writer
	if err != nil {
		return nil, nil, err
	}
	info, err := f.Stat()
	if err := judge(path, info, err); err != nil {
		return nil, nil, errors.Join(err, f.Close())
	}
	return f, info, nil
}

// Read reads a regular file of at most so many bytes.
func Read(path string, most int64) ([]byte, error) {
	f, info, err := Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	if info.Size() > most {
		return nil, &fs.PathError{Op: "read", Path: path, Err: TooLarge(info.Size())}
	}
	data, err := io.ReadAll(io.LimitReader(f, most+1)) // it may grow
	if err == nil && int64(len(data)) > most {
		err = &fs.PathError{Op: "read", Path: path, Err: TooLarge(len(data))}
	}
	return data, err
}

// Text reads a file that an editor has written, as Read does: in UTF-8, without a byte order
// mark.
func Text(path string, most int64) ([]byte, error) {
	data, err := Read(path, most)
	if err == nil && !utf8.Valid(data) {
		err = &fs.PathError{Op: "read", Path: path, Err: ErrEncoding}
	}
	return legible.Unmark(data), err
}

// Folder is a folder of regular files.
type Folder string

// Open implements fs.FS.
func (f Folder) Open(name string) (fs.File, error) {
	if !fs.ValidPath(name) {
		return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrInvalid}
	}
	opened, _, err := Open(filepath.Join(string(f), filepath.FromSlash(name)))
	return opened, err
}

// ReadDir implements fs.ReadDirFS.
func (f Folder) ReadDir(name string) ([]fs.DirEntry, error) {
	if !fs.ValidPath(name) {
		return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrInvalid}
	}
	return os.ReadDir(filepath.Join(string(f), filepath.FromSlash(name)))
}

// Sync writes a file, or the names in a folder, to the disk.
func Sync(path string) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	return errors.Join(f.Sync(), f.Close())
}
