package session

import "portico/internal/fault"

// Codes of the faults of this room.
const (
	CodeRequired = "session.required"
	CodeEnded    = "session.ended"
	CodeMissing  = "session.missing"
)

var (
	// Required says that nobody is signed in: no token, or one that opens
	// nothing. The answer is the same for all of them.
	Required = fault.New(fault.Unauthenticated, CodeRequired)

	// Ended is Required for whoever has the token of a session that ended by
	// itself or by somebody else; its param reason says why. A token that
	// never was one is not answered so.
	Ended = fault.New(fault.Unauthenticated, CodeEnded).WithCause(Required)

	// Missing says that the person has no session with this id.
	Missing = fault.New(fault.Missing, CodeMissing)
)
