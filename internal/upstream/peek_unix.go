//go:build unix

package upstream

import (
	"errors"
	"syscall"
)

const canPeek = true

// silent reports whether a connection that waits is open and has nothing to say.
// It takes a byte if there is one: the connection is not used then.
func (c *conn) silent() bool {
	silent := false
	err := c.raw.Control(func(fd uintptr) {
		var b [1]byte
		_, err := syscall.Read(int(fd), b[:]) // net has put it into non-blocking mode
		silent = errors.Is(err, syscall.EAGAIN)
	})
	return err == nil && silent
}
