//go:build !unix

package store

import (
	"errors"
	"io"
)

// ErrInUse is never returned here: these systems have no lock that ends with
// the process, so it is up to the operator to run one server.
var ErrInUse = errors.New("another portico serves this database already: stop it first")

// Claim does nothing.
func (s *Store) Claim() (io.Closer, error) { return io.NopCloser(nil), nil }
