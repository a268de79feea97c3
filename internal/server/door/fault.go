package door

import "portico/internal/fault"

// CodeLinkChanged is the code of LinkChanged.
const CodeLinkChanged = "link.changed"

// LinkChanged says that the browser has opened another mailed link since the
// page was shown whose button was pressed.
var LinkChanged = fault.New(fault.Conflict, CodeLinkChanged)
