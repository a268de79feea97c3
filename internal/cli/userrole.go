package cli

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"portico/internal/account"
	"portico/internal/app"
	"portico/internal/flow"
)

// changeRoles prints the account with its roles after the change.
func (s *session) changeRoles(email string, change func(*app.App, account.Account) error) error {
	return s.withUser(email, func(a *app.App, u account.Account) error {
		err := change(a, u)
		if err == nil {
			u, err = a.Operator.User(s, email)
		}
		if err != nil {
			return err
		}
		return s.print(false, nil, personOf(u).String())
	})
}

type userSetRolesCmd struct {
	Email string   `arg:"" help:"The email address of the account."`
	Roles []string `arg:"" optional:"" name:"role" help:"The roles, as access rules name them."`
}

func (userSetRolesCmd) Help() string {
	return "Example:\n  portico user set-roles mara@example.com admin editor\n\nThe new roles apply within a second, and the user stays signed in."
}

func (c userSetRolesCmd) Run(s *session) error {
	return s.changeRoles(c.Email, func(a *app.App, u account.Account) error {
		return a.Operator.SetUserRoles(s, flow.ByOperator, u.ID, c.Roles)
	})
}

type userAddRoleCmd struct {
	Email string   `arg:"" help:"The email address of the account."`
	Roles []string `arg:"" name:"role" help:"The roles, as access rules name them."`
}

func (userAddRoleCmd) Help() string {
	return "Example:\n  portico user add-role mara@example.com editor\n\nThe account keeps its other roles. The change applies within a second, and the user stays signed in."
}

func (c userAddRoleCmd) Run(s *session) error {
	return s.changeRoles(c.Email, func(a *app.App, u account.Account) error {
		return a.Operator.ChangeUserRoles(s, flow.ByOperator, u.ID, c.Roles, nil)
	})
}

type userRemoveRoleCmd struct {
	Email string   `arg:"" help:"The email address of the account."`
	Roles []string `arg:"" name:"role" help:"The roles to take away."`
}

func (userRemoveRoleCmd) Help() string {
	return "Example:\n  portico user remove-role mara@example.com editor\n\nThe account keeps its other roles. The change applies within a second, and the user stays signed in."
}

// Run refuses a role that the account does not have, because it may be a typing error.
func (c userRemoveRoleCmd) Run(s *session) error {
	return s.changeRoles(c.Email, func(a *app.App, u account.Account) error {
		for _, role := range c.Roles {
			if !slices.Contains(u.Roles, role) {
				return fmt.Errorf("%w: the account has no role %s: its roles are: %s", errAbsent, role, cmp.Or(strings.Join(u.Roles, ", "), "none"))
			}
		}
		return a.Operator.ChangeUserRoles(s, flow.ByOperator, u.ID, nil, c.Roles)
	})
}
