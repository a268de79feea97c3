package gateway

import (
	"time"

	"portico/internal/fault"
)

// Codes of the faults of this package.
const (
	CodeUntrusted = "gateway.untrusted"
)

var (
	// errOrigin refuses a WebSocket or a sign-out from a page of another origin.
	errOrigin = fault.New(fault.Forbidden, "gateway.origin")

	// errUntrusted refuses a forward-auth request from a client that is not a
	// trusted proxy.
	errUntrusted = fault.New(fault.Forbidden, CodeUntrusted)

	// errNotPassed replaces errors that a proxy would not take for a refusal.
	errNotPassed = fault.New(fault.Forbidden, "gateway.not_passed")
)

// retryAfter is the Retry-After of an error of Portico's own parts.
const retryAfter = 2 * time.Second
