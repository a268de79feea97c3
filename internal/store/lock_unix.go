//go:build unix

package store

import (
	"errors"
	"fmt"
	"io"
	"os"
	"syscall"
)

// ErrInUse says that another process serves this database.
var ErrInUse = errors.New("another portico serves this database already: stop it first")

// Claim makes this process the one that serves the database, until the
// returned Closer is closed or the process ends, however it does. Commands
// that only read and write need no claim.
func (s *Store) Claim() (io.Closer, error) {
	f, err := os.OpenFile(s.path+".lock", os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, fmt.Errorf("claim the database: %w", err)
	}
	if err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); err != nil {
		_ = f.Close()
		if errors.Is(err, syscall.EWOULDBLOCK) {
			return nil, ErrInUse
		}
		return nil, fmt.Errorf("claim the database: %w", err)
	}
	return f, nil
}
