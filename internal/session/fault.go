package session

import "portico/internal/fault"

// Codes of the faults of this package.
const (
	CodeRequired = "session.required"
	CodeEnded    = "session.ended"
	CodeMissing  = "session.missing"
)

var (
	// Required says that the caller is not signed in: it sent no token, or an
	// invalid one. The response is the same in both cases.
	Required = fault.New(fault.Unauthenticated, CodeRequired)

	// Ended is Required for a caller with the token of a session that has
	// ended. Its param reason says why. A caller with any other token gets
	// Required.
	Ended = fault.New(fault.Unauthenticated, CodeEnded).WithCause(Required)

	// Missing says that the account has no session with this id.
	Missing = fault.New(fault.Missing, CodeMissing)
)
