package secret

import (
	"crypto/rand"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"

	"portico/internal/file"
	"portico/internal/legible"
)

const keySize = 32 // bytes

// NewKey returns a fresh random key.
func NewKey() *Key {
	b := make([]byte, keySize)
	_, _ = rand.Read(b)
	return newKey(b)
}

// ErrNoKey says that the key file does not exist.
var ErrNoKey = errors.New("the key file does not exist")

// ReadKey reads the master key from the file at path: 32 bytes in base64 on one
// line. It refuses a file that other users may read. A file of root may be readable
// by a group: secrets that are mounted into a container are.
func ReadKey(path string) (*Key, error) {
	f, info, err := file.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("%w: %s", ErrNoKey, path)
	}
	if err != nil {
		return nil, unreadable(path, err)
	}
	defer f.Close()
	if exposed(info) {
		return nil, fmt.Errorf("the key file %s can be read by others (mode %04o): run chmod 600 on it", path, info.Mode().Perm())
	}
	text, err := io.ReadAll(io.LimitReader(f, 4<<10))
	if err != nil {
		return nil, unreadable(path, err)
	}
	b, err := base64.StdEncoding.DecodeString(legible.Trim(string(text)))
	if err == nil && len(b) == 0 {
		return nil, fmt.Errorf("the key file %s is empty: restore it from your backup; if no database has used it yet, delete it and make a new one", path)
	}
	if err != nil || len(b) != keySize {
		return nil, fmt.Errorf("the key file %s does not hold 32 bytes in base64: restore it from your backup", path)
	}
	return newKey(b), nil
}

// unreadable says that a key file cannot be read, and what to do.
func unreadable(path string, err error) error {
	do := "name another file"
	if errors.Is(err, fs.ErrPermission) {
		do = "run this as root or as the user of the server, or let this user read it"
	}
	if failed, ok := errors.AsType[*fs.PathError](err); ok {
		err = failed.Err
	}
	return fmt.Errorf("the key file %s cannot be read (%w): %s", path, err, do)
}

// CreateKey writes a new key to path, mode 0600. If a file exists, the error
// wraps fs.ErrExist: a key that protects data is never replaced by accident.
// The file survives a power loss once CreateKey has returned. It appears whole or
// not at all, as file.PutNew says.
func CreateKey(path string) (*Key, error) {
	if err := file.NewFolders(filepath.Dir(path)); err != nil {
		return nil, fmt.Errorf("create the folder of the key file: %w", err)
	}
	key := NewKey()
	text := base64.StdEncoding.EncodeToString(key.set.Load().masters[0].bytes) + "\n"
	switch err := file.Write(path, text, 0o600); {
	case errors.Is(err, fs.ErrExist):
		return nil, fmt.Errorf("the key file %s is not replaced (%w): use it, or name another file", path, fs.ErrExist)
	case err != nil:
		return nil, fmt.Errorf("create the key file: %w", err)
	}
	return key, nil
}
