package gateway

import (
	"time"

	"portico/internal/fault"
)

// Codes of what the door refuses by itself.
const (
	CodeOrigin    = "gateway.origin"
	CodeUntrusted = "gateway.untrusted"
	CodeNotPassed = "gateway.not_passed"
)

var (
	// errOrigin is the answer to a WebSocket that a page of another origin opens.
	errOrigin = fault.New(fault.Forbidden, CodeOrigin)

	// errUntrusted is the answer to whoever is no trusted proxy and asks as one.
	errUntrusted = fault.New(fault.Forbidden, CodeUntrusted)

	// errNotPassed stands for every answer that a proxy understands as a refusal
	// only.
	errNotPassed = fault.New(fault.Forbidden, CodeNotPassed)
)

// retryAfter is when a part that did not answer may do so again.
const retryAfter = 2 * time.Second
