package server

import "portico/internal/fault"

// Codes of faults that this package detects before a handler runs.
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
	CodeFieldValue     = "field.value"
)

// Faults that handlers may return as well.
var (
	// Malformed means that programs could read the request in different ways,
	// or that its body has the wrong form.
	Malformed = fault.New(fault.Invalid, CodeMalformed)
	// RouteMissing means that no route has the path.
	RouteMissing = fault.New(fault.Missing, CodeRouteMissing)
	// MethodNotAllowed means that the route does not support the method.
	MethodNotAllowed = fault.New(fault.Invalid, CodeMethodNotAllowed)
	// AppDown means that an app does not respond.
	AppDown = fault.New(fault.Unavailable, CodeAppDown)
	// AppSlow means that an app did not respond in time.
	AppSlow = fault.New(fault.Unavailable, CodeAppSlow)
	// BodySlow means that the body of a request arrives too slowly.
	BodySlow = fault.New(fault.Invalid, CodeBodySlow)
)

// These faults are shared. The With methods of fault.Error copy them.
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
