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
	CodeAppDown          = "app.down"
	CodeAppSlow          = "app.slow"
	CodeBodySlow         = "request.slow"

	CodeFieldUnknown   = "field.unknown"
	CodeFieldDuplicate = "field.duplicate"
	CodeFieldType      = "field.type"
	CodeFieldText      = "field.text"
)

// Faults that a door answers with as the kit does.
var (
	// Malformed says that the target of a request may be read in two ways.
	Malformed = fault.New(fault.Invalid, CodeMalformed)
	// RouteMissing says that nothing is at an address.
	RouteMissing = fault.New(fault.Missing, CodeRouteMissing)
	// MethodNotAllowed says that an address does not take a method.
	MethodNotAllowed = fault.New(fault.Invalid, CodeMethodNotAllowed)
	// AppDown says that the app behind the door gives no answer.
	AppDown = fault.New(fault.Unavailable, CodeAppDown)
	// AppSlow says that the app behind the door did not answer in time.
	AppSlow = fault.New(fault.Unavailable, CodeAppSlow)
	// BodySlow says that the body of a request arrives too slowly.
	BodySlow = fault.New(fault.Invalid, CodeBodySlow)
)

// The faults are never changed: the With methods of fault.Error copy.
var (
	errCrossOrigin     = fault.New(fault.Forbidden, CodeCrossOrigin)
	errTooLarge        = fault.New(fault.Invalid, CodeTooLarge)
	errTargetTooLong   = fault.New(fault.Invalid, CodeTargetTooLong)
	errCookiesTooLarge = fault.New(fault.Invalid, CodeCookiesTooLarge)
	errLengthRequired  = fault.New(fault.Invalid, CodeLengthRequired)
	errUnsupported     = fault.New(fault.Invalid, CodeUnsupported)
	errHost            = fault.New(fault.Invalid, CodeHost)
	errPanic           = fault.New(fault.Internal, fault.CodeInternal)
	errTimeout         = fault.New(fault.Unavailable, fault.CodeTimeout)
)
