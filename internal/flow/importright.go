package flow

import (
	"slices"

	"portico/internal/account"
	"portico/internal/people"
)

// A file of people often comes from another system, and whoever wrote it is not the admin who sends it. So an import
// by an admin or a key makes no admin and changes none, not even the own account: the last admin stays one. It also changes no
// way in to an account that exists. The command line can do all of it.

// commands reports whether the Actor is an operator who runs a command.
func (a Actor) commands() bool { return a.admin == nil && a.key == nil }

// mayMake returns why an import by the Actor cannot make an account.
func (a Actor) mayMake(p *arrival) *people.Problem {
	if a.commands() || !slices.Contains(p.Account.Roles, RoleAdmin) {
		return nil
	}
	return &people.Problem{Field: "roles", Value: RoleAdmin, Reason: "makes an admin, which only the command 'portico user import' does"}
}

// mayRenew returns why an import by the Actor cannot change these fields of an account.
func (a Actor) mayRenew(has account.Account, p *arrival, changes []string) *people.Problem {
	switch {
	case a.commands() || len(changes) == 0:
		return nil
	case slices.Contains(has.Roles, RoleAdmin):
		return &people.Problem{Field: "roles", Value: RoleAdmin, Reason: "the account is an admin's, which only the command 'portico user import' changes"}
	case slices.Contains(changes, "roles"):
		if problem := a.mayMake(p); problem != nil {
			return problem
		}
	}
	for _, field := range []string{"password", "identities"} {
		if slices.Contains(changes, field) {
			return &people.Problem{Field: field, Reason: "the account exists, and only the command 'portico user import --update' changes how its user signs in"}
		}
	}
	return nil
}
