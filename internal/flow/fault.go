package flow

import "portico/internal/fault"

// Codes of the faults of flows.
const (
	CodeFlowUnknown  = "flow.unknown"
	CodeFlowConflict = "flow.conflict"

	CodeSignInRejected = "signin.rejected"
	CodeSignUpClosed   = "signup.closed"
	CodeSignUpTaken    = "signup.taken"
	CodeLinkPassword   = "link.password"
	CodeRoleInvalid    = "role.invalid"

	CodeProviderNoAddress    = "provider.no_address"
	CodeProviderAddressTaken = "provider.address_taken"
)

var (
	// Unknown says that there is no such flow for this browser: never made,
	// expired, or begun in another one. The answer is the same for all.
	Unknown = fault.New(fault.Missing, CodeFlowUnknown)

	// Moved says that the flow is at another step by now.
	Moved = fault.New(fault.Conflict, CodeFlowConflict)

	// Rejected is the one answer to a wrong address or a wrong password.
	Rejected = fault.New(fault.Unauthenticated, CodeSignInRejected)

	// LinkPassword says that the password is not the one of the registration
	// that a mailed link belongs to.
	LinkPassword = fault.New(fault.Unauthenticated, CodeLinkPassword).
			WithFields(fault.Field{Name: "password", Code: CodeLinkPassword})

	// SignUpClosed says that the operator lets nobody register.
	SignUpClosed = fault.New(fault.Forbidden, CodeSignUpClosed)

	// SignUpTaken says that an account was made for the address after this
	// registration began, as by a registration in another browser. Only who
	// has the code of the mailbox is told.
	SignUpTaken = fault.New(fault.Conflict, CodeSignUpTaken)
)
