package cli

import (
	"strings"

	"portico/internal/account"
	"portico/internal/app"
)

type userShowCmd struct {
	Email string `arg:"" help:"The email address of the account."`
	JSON  bool   `name:"json" help:"Print the account as JSON."`
}

func (userShowCmd) Help() string { return "Example:\n  portico user show mara@example.com" }

// Run prints a line for each part of the account that has a value.
func (c userShowCmd) Run(s *session) error {
	return s.withUser(c.Email, func(a *app.App, u account.Account) error {
		p := personOf(u)
		others, err := a.Flows.Addresses(s, u.ID)
		if err != nil {
			return err
		}
		p.Addresses = addressesOf(others)
		password := "no"
		if p.Password {
			password = "yes"
		}
		lines := []string{}
		for _, part := range [][2]string{
			{"id", p.ID}, {"email", p.Email}, {"name", p.Name}, {"state", p.State}, {"roles", strings.Join(p.Roles, ",")},
			{"password", password}, {"created", p.CreatedAt}, {"terms", strings.TrimSpace(p.Terms + " " + p.TermsAt)},
		} {
			if part[1] != "" {
				lines = append(lines, part[0]+"\t"+part[1])
			}
		}
		for _, o := range p.Addresses {
			lines = append(lines, "address\t"+o.String())
		}
		return s.print(c.JSON, p, lines...)
	})
}
