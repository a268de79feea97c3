package cli

import (
	"strings"

	"portico/internal/account"
	"portico/internal/app"
	"portico/internal/passkey"
)

type passkeyOut struct {
	ID        string `json:"id"`
	Name      string `json:"name"`
	Model     string `json:"aaguid"`
	Host      string `json:"host"`
	CreatedAt string `json:"created_at"`
	UsedAt    string `json:"last_used_at"`
}

func passkeyOf(p passkey.Passkey) passkeyOut {
	return passkeyOut{ID: p.ID, Name: p.Name, Model: p.Model, Host: p.Host, CreatedAt: p.CreatedAt.Format(timeForm), UsedAt: p.UsedAt.Format(timeForm)}
}

func (p passkeyOut) String() string {
	return strings.Join([]string{p.ID, p.Name, p.Host, p.CreatedAt, p.UsedAt}, "\t")
}

type userPasskeysCmd struct {
	Email string `arg:"" help:"The email address of the account."`
	JSON  bool   `name:"json" help:"Print the passkeys as JSON."`
}

func (userPasskeysCmd) Help() string {
	return "Example:\n  portico user passkeys mara@example.com\n\nPrints id, name, the host that it works for, the time it was added and the time it was last used."
}

func (c userPasskeysCmd) Run(s *session) error {
	return s.withUser(c.Email, func(a *app.App, u account.Account) error {
		have, err := a.Operator.Passkeys(s, u.ID)
		if err != nil {
			return err
		}
		return list(s, c.JSON, have, passkeyOf)
	})
}
