package signingkey

import "portico/internal/fault"

// Codes of the faults of this package.
const (
	CodeMissing = "keys.missing"
)

var (
	// Missing says that there is no such key, or that it is revoked already.
	Missing = fault.New(fault.Missing, CodeMissing)

	// Unavailable says that there is no key to sign with.
	Unavailable = fault.New(fault.Unavailable, "keys.unavailable")
)
