//go:build !unix

package sqlite

import "io"

// claimFile does nothing: these systems have no lock that ends with the process, so
// it is up to the operator to run one server.
func claimFile(string) (io.Closer, error) { return io.NopCloser(nil), nil }
