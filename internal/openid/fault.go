package openid

import (
	"portico/internal/document"
	"portico/internal/fault"
)

// Codes of the faults of this package.
const (
	CodeClientUnknown   = "openid.client_unknown"
	CodeRedirectUnknown = "openid.redirect_unknown"
	CodeLogoutUnknown   = "openid.logout_unknown"
	CodeDeviceUnknown   = "openid.device_unknown"
)

var (
	// ClientUnknown says that no client has the id of the request.
	ClientUnknown = fault.New(fault.Invalid, CodeClientUnknown)

	// ClientDown says that what a client publishes does not load at the moment.
	ClientDown = fault.New(fault.Unavailable, fault.CodeUnavailable).WithRetryAfter(document.Pause)

	// RedirectUnknown says that the client has not registered the address to
	// which the request wants to return. So the browser must not go there.
	RedirectUnknown = fault.New(fault.Invalid, CodeRedirectUnknown)

	// LogoutUnknown says that a request to sign out is not valid, so that the
	// browser must not go back to an app. The user may still sign out.
	LogoutUnknown = fault.New(fault.Invalid, CodeLogoutUnknown)

	// ParameterTwice says that a request has its client_id or its redirect_uri twice.
	// So the browser must not go to either address.
	ParameterTwice = fault.New(fault.Invalid, "openid.parameter_twice")

	// RequestUnknown says that a pushed request is not there: it was used, it has
	// expired, or it is of another client.
	RequestUnknown = fault.New(fault.Invalid, "openid.request_unknown")

	// DeviceUnknown says that no device waits with the code that a user has typed.
	DeviceUnknown = fault.New(fault.Invalid, CodeDeviceUnknown).WithFields(fault.Field{Name: "code", Code: CodeDeviceUnknown})

	// Refused says that a client's request was refused. Its cause is the Error
	// that the client gets.
	Refused = fault.New(fault.Invalid, "openid.refused")
)

// Error is an error that a client gets, by the words of the standards.
type Error struct {
	Code        string // "invalid_grant"
	Description string // for the developer of the client
}

func (e *Error) Error() string { return e.Code + ": " + e.Description }

func invalidRequest(why string) *Error { return &Error{"invalid_request", why} }

// mayNotUse names the grant of a request, and what is to be added to the setting grants for it.
func mayNotUse(grant, add string) *Error {
	return &Error{"unauthorized_client", "the client may not use " + grant + ": add " + add + " to the grants of the client"}
}

func invalidGrant(why string) *Error { return &Error{"invalid_grant", why} }
