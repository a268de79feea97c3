package rule

import "portico/internal/fault"

// Codes of the faults of this room.
const (
	CodeDenied = "rule.denied"
	CodeRole   = "rule.role"
	CodeFactor = "rule.factor"
	CodeFresh  = "rule.fresh"
)

var (
	// Denied says that no rule lets anybody in here.
	Denied = fault.New(fault.Forbidden, CodeDenied)

	// RoleMissing says that the rule asks for a role that the person does not have.
	RoleMissing = fault.New(fault.Forbidden, CodeRole)

	// TooOld says that the rule asks for a sign-in that is younger.
	TooOld = fault.New(fault.Unauthenticated, CodeFresh)

	// FactorMissing says that the rule asks for a sign-in with a second factor.
	FactorMissing = fault.New(fault.Forbidden, CodeFactor)
)
