package dev

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"portico/internal/account"
	"portico/internal/app"
	"portico/internal/fault"
	"portico/internal/flow"
)

// seedPassword is the published password of every seeded account.
const seedPassword = "copper lantern seven hills"

// person is an account in every new database.
type person struct {
	email, name string
	roles       []string
	closed      bool
}

// seed creates the missing accounts and returns lines that describe all of
// them.
func seed(ctx context.Context, a *app.App) ([]string, error) {
	var people []account.Account
	for _, p := range []person{
		{email: "mara@example.com", name: "Mara Lind", roles: []string{"admin"}},
		{email: "noah@example.com", name: "Noah Okafor"},
		{email: "closed@example.com", name: "Closed Account", closed: true},
	} {
		if err := p.make(ctx, a); err != nil {
			return nil, err
		}
		found, err := a.Operator.User(ctx, p.email)
		if err != nil {
			return nil, err
		}
		people = append(people, found)
	}
	return describe(ctx, a, people)
}

// make creates the account if it does not exist.
func (p person) make(ctx context.Context, a *app.App) error {
	created, err := a.Operator.CreateUser(ctx, flow.ByOperator, p.email, p.name, seedPassword, p.roles...)
	switch {
	case errors.Is(err, account.Exists):
		return nil
	case err == nil && p.closed:
		return a.Operator.SetUserState(ctx, flow.ByOperator, created.ID, account.DisabledByOperator)
	case err != nil && fault.From(err).Kind == fault.Invalid:
		return fmt.Errorf("the people of portico dev have the password %q, which the settings refuse: "+
			"lower password.min, or have portico dev read other settings with --config", seedPassword)
	}
	return err
}

// describe returns a line for each account. It prints the password only if it
// works for one of them, and marks the accounts that have another one.
func describe(ctx context.Context, a *app.App, people []account.Account) ([]string, error) {
	title, lines := "People", []string(nil)
	for _, p := range people {
		line := "  " + p.Address.Mail
		if slices.Contains(p.Roles, "admin") {
			line += " (has the role admin)"
		}
		if p.State == account.DisabledByOperator {
			line += " (disabled by the operator)"
		}
		same, _, err := a.Passwords.Verify(ctx, p.Password, seedPassword)
		if err != nil {
			return nil, err
		}
		if same {
			title = "People             (password: " + seedPassword + ")"
		} else {
			line += " (has another password by now)"
		}
		lines = append(lines, line)
	}
	return append([]string{"", title}, lines...), nil
}
