package flow

import (
	"context"
	"slices"

	"portico/internal/account"
	"portico/internal/audit"
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

// leftHere is what mayBring leaves out.
const leftHere = "passwords and identities that may be another person's, or that were removed here"

// mayBring leaves out what a line must not bring to an account that exists. If nobody has proven its address there and somebody has proven it
// here, a stranger may have made the account there. A password is not wanted where somebody does without one, nor an identity where one was
// removed, as long as the record is kept.
func (f *Operator) mayBring(ctx context.Context, tx Tx, has account.Account, a *arrival, differs []difference, linked []account.Identity) ([]difference, []account.Identity, error) {
	isPassword := func(d difference) bool { return d.field == "password" }
	before := len(differs) + len(linked)
	if len(linked) == 0 && !slices.ContainsFunc(differs, isPassword) {
		return differs, linked, nil
	}
	unproven, err := tx.IsUnproven(ctx, has.ID)
	if err != nil {
		return nil, nil, err
	}
	removed, err := tx.FactsOf(ctx, has.ID, "", 1, audit.ProviderRemoved)
	if err != nil {
		return nil, nil, err
	}
	stranger := a.Unproven && !unproven
	noPassword := stranger
	if !noPassword && has.Password == "" {
		_, _, newcomer, err := f.asArrived(ctx, tx, has.ID)
		if err != nil {
			return nil, nil, err
		}
		noPassword = !newcomer
	}
	if noPassword {
		differs = slices.DeleteFunc(differs, isPassword)
	}
	if stranger || len(removed) > 0 {
		linked = nil
	}
	if len(differs)+len(linked) < before && !slices.Contains(a.left, leftHere) {
		a.leave(leftHere)
	}
	return differs, linked, nil
}
