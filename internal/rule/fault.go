package rule

import "portico/internal/fault"

// Codes of the faults of this room.
const (
	CodeDenied = "rule.denied"
	CodeRole   = "rule.role"
	CodeFactor = "rule.factor"
)

var (
	// Denied says that no rule lets anybody in here.
	Denied = fault.New(fault.Forbidden, CodeDenied)

	// RoleMissing says that the rule asks for a role that the person does not have.
	RoleMissing = fault.New(fault.Forbidden, CodeRole)

	// FactorMissing says that the rule asks for a sign-in with a second factor.
	FactorMissing = fault.New(fault.Forbidden, CodeFactor)
)
