package dev

import (
	"context"
	"errors"
	"fmt"

	"portico/internal/account"
	"portico/internal/app"
)

// seedPassword opens every seeded account. It is printed at each start and
// exists only where `portico dev` was run.
const seedPassword = "copper lantern seven hills"

// seed makes the people that are not there yet, and returns what to print.
func seed(ctx context.Context, a *app.App) ([]string, error) {
	lines := []string{"", "People             (password: " + seedPassword + ")"}
	for _, p := range []struct {
		email, name string
		state       account.State
		roles       []string
	}{
		{"mara@example.com", "Mara Lind", account.Active, []string{"admin"}},
		{"noah@example.com", "Noah Okafor", account.Active, nil},
		{"closed@example.com", "Closed Account", account.Closed, nil},
	} {
		created, err := a.Flows.CreateUser(ctx, p.email, p.name, seedPassword, p.roles...)
		switch {
		case errors.Is(err, account.Exists):
		case err != nil:
			return nil, err
		case p.state == account.Closed:
			if err := a.Flows.SetUserState(ctx, created.ID, account.Closed); err != nil {
				return nil, err
			}
		}
		line := "  " + p.email
		if len(p.roles) > 0 {
			line += " (has the role " + p.roles[0] + ")"
		}
		if p.state == account.Closed {
			line = fmt.Sprintf("  %s (closed by the operator)", p.email)
		}
		lines = append(lines, line)
	}
	return lines, nil
}
