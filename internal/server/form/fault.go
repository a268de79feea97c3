package form

import "portico/internal/fault"

const CodeLinkChanged = "link.changed"

// LinkChanged means that the browser has opened another mailed link since the
// page was shown.
var LinkChanged = fault.New(fault.Conflict, CodeLinkChanged)
