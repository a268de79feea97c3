package rule

import (
	"errors"
	"strings"

	"portico/internal/fault"
)

const (
	CodeDenied = "rule.denied"
	CodeRole   = "rule.role"
	CodeFresh  = "rule.fresh"
	CodeMFA    = "rule.mfa"
)

var (
	// Denied means that no rule allows the request.
	Denied = fault.New(fault.Forbidden, CodeDenied)

	// RoleMissing means that the rule requires a role that the user does not
	// have.
	RoleMissing = fault.New(fault.Forbidden, CodeRole)

	// TooOld means that the rule requires a more recent sign-in.
	TooOld = fault.New(fault.Unauthenticated, CodeFresh)

	// FactorMissing means that the rule requires a second factor, or a more recent
	// one.
	FactorMissing = fault.New(fault.Unauthenticated, CodeMFA)
)

// Refuse returns RoleMissing with what the log says about it: the account, and the rules that ask for roles
// which it does not have.
func Refuse(account string, rules ...string) error {
	return RoleMissing.WithCause(errors.New("account " + account + " has none of the required roles: " + strings.Join(rules, ", ")))
}
