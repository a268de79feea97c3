package factor

import "portico/internal/fault"

// Codes of the faults of this package. CodeWrong has the number of attempts left.
const (
	CodeWrong          = "factor.wrong"
	CodeNewWrong       = "factor.new_wrong" // of an app that is being added
	CodeFormat         = "factor.format"    // of an app with more than six digits
	CodeReplayed       = "factor.replayed"
	CodeRecoveryFormat = "factor.recovery_format"
	CodeMovedFormat    = "factor.moved_format" // of a recovery code, where some are from another system
)

var (
	// Wrong means that no factor of the account has this code now.
	Wrong = fault.New(fault.Invalid, CodeWrong)

	// Replayed means that the code was right and was used before. The next code of
	// the app helps.
	Replayed = fault.New(fault.Invalid, CodeReplayed)

	// UsedUp means that the pending step has no attempts left. Signing in again
	// helps.
	UsedUp = fault.New(fault.Limited, "factor.used_up")

	// Full means that the account has as many factors as it may have.
	Full = fault.New(fault.Conflict, "factor.full")

	// Missing means that the account has no such factor.
	Missing = fault.New(fault.Missing, "factor.missing")
)
