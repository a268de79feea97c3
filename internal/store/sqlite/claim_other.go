//go:build !unix

package sqlite

import "io"

// claimFile does nothing: this system has no lock that ends with the process.
// The operator must run one server only.
func claimFile(string) (io.Closer, error) { return io.NopCloser(nil), nil }
