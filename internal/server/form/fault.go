package form

import "portico/internal/fault"

const (
	CodeAccountChanged = "account.changed"
)

var (
	// LinkChanged means that the browser has opened another mailed link since the
	// page was shown.
	LinkChanged = fault.New(fault.Conflict, "link.changed")

	// AccountChanged means that another account is signed in than when the page
	// was shown.
	AccountChanged = fault.New(fault.Conflict, CodeAccountChanged)
)
