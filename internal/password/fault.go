package password

import "portico/internal/fault"

// Codes of the field password. CodeTooShort and CodeTooLong carry the limit as
// count; CodeGuessable carries a reason, which is the last part of the key of
// its advice: error.password.guessable.<reason>.
const (
	CodeRequired        = "password.required"
	CodeTooShort        = "password.too_short"
	CodeTooLong         = "password.too_long"
	CodeCharacter       = "password.character"
	CodeBreached        = "password.breached"
	CodeContainsContext = "password.contains_context"
	CodeGuessable       = "password.guessable"
	CodeSame            = "password.same" // for flows that compare with the current password
)

// Codes of the field confirm_password.
const (
	CodeMismatch    = "password.mismatch"
	CodeNotRepeated = "password.not_repeated"
)

// CodeBusy says that the queue for the hashing slots is full.
const CodeBusy = "hashing.busy"

// Busy is the fault of a full queue. The returned fault carries RetryAfter.
var Busy = fault.New(fault.Unavailable, CodeBusy)
