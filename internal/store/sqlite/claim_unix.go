//go:build unix

package sqlite

import (
	"errors"
	"fmt"
	"io"
	"syscall"

	"portico/internal/file"
	"portico/internal/store/engine"
)

// claimFile locks a file next to the database; the lock ends with the process.
func claimFile(path string) (io.Closer, error) {
	f, err := file.Ensure(path+".lock", 0o600)
	if err != nil {
		return nil, fmt.Errorf("claim the database: %w", err)
	}
	if err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); err != nil {
		_ = f.Close()
		if errors.Is(err, syscall.EWOULDBLOCK) {
			return nil, engine.ErrInUse
		}
		return nil, fmt.Errorf("claim the database: %w", err)
	}
	return f, nil
}
