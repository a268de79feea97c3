package code

import "portico/internal/fault"

// Codes of the faults of this package. CodeWrong has the number of attempts left.
const (
	CodeRequired = "code.required"
	CodeFormat   = "code.format"
	CodeWrong    = "code.wrong"
	CodeUsedUp   = "code.used_up"
	CodeLocked   = "code.locked"
	CodeLinkOnly = "code.link_only"
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
	// Locked says that an address or a network has sent too many wrong codes.
	// The mailed link still works. The returned fault carries RetryAfter.
	Locked = fault.New(fault.Limited, CodeLocked)
	// LinkOnly says the same of an address whose wait is too long to name.
	LinkOnly = fault.New(fault.Limited, CodeLinkOnly)
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
