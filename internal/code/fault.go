package code

import "portico/internal/fault"

// Codes of the faults of this package. CodeWrong has the number of attempts left.
const (
	CodeRequired = "code.required"
	CodeFormat   = "code.format"
	CodeWrong    = "code.wrong"
	CodeUsedUp   = "code.used_up"
	CodeLocked   = "code.locked"
	CodeExpired  = "code.expired"

	CodeLinkExpired   = "link.expired"
	CodeLinkReplaced  = "link.replaced"
	CodeLinkMalformed = "link.malformed"
)

var (
	Wrong   = fault.New(fault.Invalid, CodeWrong)
	UsedUp  = fault.New(fault.Limited, CodeUsedUp)
	Expired = fault.New(fault.Expired, CodeExpired)
	Used    = fault.New(fault.Conflict, "code.used")
	// Locked says that an address or a network has sent too many wrong codes.
	// The mailed link still works. The returned fault carries RetryAfter.
	Locked = fault.New(fault.Limited, CodeLocked)
	// LinkOnly says the same of an address whose wait is too long to name.
	LinkOnly = fault.New(fault.Limited, "code.link_only")
	// Early says that another email cannot be sent yet. The returned fault
	// carries RetryAfter.
	Early = fault.New(fault.Limited, "code.early")
	// Held says that the mailbox gets no more email for now. The returned fault
	// carries RetryAfter.
	Held = fault.New(fault.Limited, "code.held")

	LinkExpired   = fault.New(fault.Expired, CodeLinkExpired)
	LinkUsed      = fault.New(fault.Conflict, "link.used")
	LinkReplaced  = fault.New(fault.Expired, CodeLinkReplaced)
	LinkMalformed = fault.New(fault.Invalid, CodeLinkMalformed)
)
