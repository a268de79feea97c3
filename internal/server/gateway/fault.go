package gateway

import (
	"time"

	"portico/internal/fault"
)

// CodeOrigin is the code of a WebSocket that a page of another origin opens.
const CodeOrigin = "gateway.origin"

var errOrigin = fault.New(fault.Forbidden, CodeOrigin)

// retryAfter is when a part that did not answer may do so again.
const retryAfter = 2 * time.Second
