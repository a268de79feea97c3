package form

import "portico/internal/fault"

const (
	CodeLinkChanged    = "link.changed"
	CodeAccountChanged = "account.changed"
)

var (
	// LinkChanged means that the browser has opened another mailed link since the
	// page was shown.
	LinkChanged = fault.New(fault.Conflict, CodeLinkChanged)

	// AccountChanged means that another account is signed in than when the page
	// was shown.
	AccountChanged = fault.New(fault.Conflict, CodeAccountChanged)
)
