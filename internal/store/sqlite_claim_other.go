//go:build !unix

package store

import "io"

// claim does nothing: these systems have no lock that ends with the process, so
// it is up to the operator to run one server.
func (s *sqlite) claim() (io.Closer, error) { return io.NopCloser(nil), nil }
