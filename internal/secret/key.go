package secret

import (
	"crypto/hkdf"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

const keySize = 32 // bytes

// Key is the master key. It is safe for concurrent use.
type Key struct {
	master []byte
}

// NewKey returns a fresh random key.
func NewKey() *Key {
	b := make([]byte, keySize)
	_, _ = rand.Read(b)
	return &Key{master: b}
}

// String keeps the key out of logs and formatted errors.
func (*Key) String() string { return "secret.Key" }

// GoString does the same for %#v.
func (*Key) GoString() string { return "secret.Key" }

// ErrNoKey says that the key file does not exist.
var ErrNoKey = errors.New("the key file does not exist")

// ReadKey reads the master key from the file at path: 32 bytes in base64 on
// one line. A file that others may read is refused.
func ReadKey(path string) (*Key, error) {
	info, err := os.Stat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, ErrNoKey
	}
	if err != nil {
		return nil, fmt.Errorf("read the key file: %w", err)
	}
	if info.Mode().Perm()&0o077 != 0 {
		return nil, fmt.Errorf("the key file %s can be read by others (mode %04o): run chmod 600 on it", path, info.Mode().Perm())
	}
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("read the key file: %w", err)
	}
	b, err := base64.StdEncoding.DecodeString(strings.TrimSpace(string(text)))
	if err != nil || len(b) != keySize {
		return nil, fmt.Errorf("the key file %s does not hold 32 bytes in base64: restore it from your backup", path)
	}
	return &Key{master: b}, nil
}

// CreateKey writes a fresh key to path, mode 0600, and fails when a file is
// already there: a key that protects data is never replaced by accident.
func CreateKey(path string) (*Key, error) {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return nil, fmt.Errorf("create the folder of the key file: %w", err)
	}
	key := NewKey()
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return nil, fmt.Errorf("create the key file: %w", err)
	}
	_, err = f.WriteString(base64.StdEncoding.EncodeToString(key.master) + "\n")
	if err == nil {
		err = f.Sync()
	}
	if cerr := f.Close(); err == nil {
		err = cerr
	}
	if err != nil {
		return nil, fmt.Errorf("write the key file: %w", err)
	}
	return key, nil
}

// derive returns the key of a purpose.
func (k *Key) derive(purpose string) []byte {
	b, err := hkdf.Key(sha256.New, k.master, nil, "portico "+purpose, keySize)
	if err != nil {
		panic(err) // only for lengths that HKDF cannot give; ours is a constant
	}
	return b
}
