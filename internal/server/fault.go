package server

import "portico/internal/fault"

// Codes of requests that never reach a handler, or whose input has no
// acceptable shape.
const (
	CodeCrossOrigin      = "request.cross_origin"
	CodeTooLarge         = "request.too_large"
	CodeTargetTooLong    = "request.target_too_long"
	CodeCookiesTooLarge  = "request.cookies_too_large"
	CodeLengthRequired   = "request.length_required"
	CodeUnsupported      = "request.unsupported"
	CodeMalformed        = "request.malformed"
	CodeHost             = "request.host"
	CodeRouteMissing     = "route.missing"
	CodeMethodNotAllowed = "method.not_allowed"

	CodeFieldUnknown   = "field.unknown"
	CodeFieldDuplicate = "field.duplicate"
	CodeFieldType      = "field.type"
	CodeFieldText      = "field.text"
)

// The faults are never changed: the With methods of fault.Error copy.
var (
	errCrossOrigin      = fault.New(fault.Forbidden, CodeCrossOrigin)
	errTooLarge         = fault.New(fault.Invalid, CodeTooLarge)
	errTargetTooLong    = fault.New(fault.Invalid, CodeTargetTooLong)
	errCookiesTooLarge  = fault.New(fault.Invalid, CodeCookiesTooLarge)
	errLengthRequired   = fault.New(fault.Invalid, CodeLengthRequired)
	errUnsupported      = fault.New(fault.Invalid, CodeUnsupported)
	errMalformed        = fault.New(fault.Invalid, CodeMalformed)
	errHost             = fault.New(fault.Invalid, CodeHost)
	errRouteMissing     = fault.New(fault.Missing, CodeRouteMissing)
	errMethodNotAllowed = fault.New(fault.Invalid, CodeMethodNotAllowed)
	errPanic            = fault.New(fault.Internal, fault.CodeInternal)
	errTimeout          = fault.New(fault.Unavailable, fault.CodeTimeout)
)
