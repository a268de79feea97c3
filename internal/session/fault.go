package session

import "portico/internal/fault"

// Codes of the faults of this room.
const (
	CodeRequired = "session.required"
	CodeMissing  = "session.missing"
)

var (
	// Required says that nobody is signed in: no token, a wrong one, or one
	// that has ended. The answer is the same for all of them.
	Required = fault.New(fault.Unauthenticated, CodeRequired)

	// Missing says that the person has no session with this id.
	Missing = fault.New(fault.Missing, CodeMissing)
)
