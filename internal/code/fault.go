package code

import "portico/internal/fault"

// Codes of the faults of this package. CodeWrong has the number of attempts left.
const (
	CodeRequired = "code.required"
	CodeFormat   = "code.format"
	CodeWrong    = "code.wrong"
	CodeUsedUp   = "code.used_up"
	CodeExpired  = "code.expired"
	CodeUsed     = "code.used"
	CodeEarly    = "code.early"
	CodeHeld     = "code.held"

	CodeLinkExpired   = "link.expired"
	CodeLinkUsed      = "link.used"
	CodeLinkReplaced  = "link.replaced"
	CodeLinkMalformed = "link.malformed"
)

var (
	Wrong   = fault.New(fault.Invalid, CodeWrong)
	UsedUp  = fault.New(fault.Limited, CodeUsedUp)
	Expired = fault.New(fault.Expired, CodeExpired)
	Used    = fault.New(fault.Conflict, CodeUsed)
	// Early says that another email cannot be sent yet. The returned fault
	// carries RetryAfter.
	Early = fault.New(fault.Limited, CodeEarly)
	// Held says that the mailbox gets no more email for now. The returned fault
	// carries RetryAfter.
	Held = fault.New(fault.Limited, CodeHeld)

	LinkExpired   = fault.New(fault.Expired, CodeLinkExpired)
	LinkUsed      = fault.New(fault.Conflict, CodeLinkUsed)
	LinkReplaced  = fault.New(fault.Expired, CodeLinkReplaced)
	LinkMalformed = fault.New(fault.Invalid, CodeLinkMalformed)
)
