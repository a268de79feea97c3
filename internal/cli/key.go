package cli

import (
	"cmp"
	"fmt"
	"strings"

	"portico/internal/account"
	"portico/internal/apikey"
	"portico/internal/app"
	"portico/internal/flow"
)

type keyCmd struct {
	List   keyListCmd   `cmd:"" help:"List the API keys, newest first."`
	Create keyCreateCmd `cmd:"" help:"Make an API key and print its secret."`
	Rotate keyRotateCmd `cmd:"" help:"Give an API key another secret and another end. The old secret works on until it is ended."`
	End    keyEndCmd    `cmd:"" help:"End an API key, or only its old secret."`
}

// apiKey is a key in the output.
type apiKey struct {
	ID         string   `json:"id"`
	Name       string   `json:"name"`
	State      string   `json:"state"`
	OwnerEmail string   `json:"owner"`
	Scopes     []string `json:"scopes"`
	EndsAt     string   `json:"ends_at"`
	UsedAt     string   `json:"used_at"`
	Network    string   `json:"network"`
	Secrets    int      `json:"secrets"`
	Secret     string   `json:"secret,omitempty"`
}

func apiKeyOf(k flow.APIKey) apiKey {
	shown := apiKey{
		ID: k.ID, Name: k.Name, State: string(k.State), OwnerEmail: k.OwnerAddress, Scopes: k.Scopes, EndsAt: k.EndsAt.Format(timeForm), Network: k.Peer, Secrets: k.Secrets,
	}
	if !k.UsedAt.IsZero() {
		shown.UsedAt = k.UsedAt.Format(timeForm)
	}
	return shown
}

func (k apiKey) String() string {
	return strings.Join([]string{k.ID, k.State, k.Name, strings.Join(k.Scopes, " "), "until " + k.EndsAt, "used " + cmp.Or(k.UsedAt, "never"), cmp.Or(k.OwnerEmail, "nobody")}, "\t")
}

type keyListCmd struct {
	JSON bool `name:"json" help:"Print as JSON."`
}

func (keyListCmd) Help() string {
	return "Example:\n  portico key list\n\nKeys that have ended stay in the list as long as the audit records. A key is stopped if no admin answers for it. Rotate it to name another one."
}

func (c keyListCmd) Run(s *session) error {
	return s.withApp(func(a *app.App) error {
		const limit = 100
		var all []flow.APIKey
		for after := ""; ; {
			page, err := a.Operator.APIKeys(s, after, limit)
			if err != nil {
				return err
			}
			all = append(all, page.Items...)
			if after = page.Next; after == "" {
				return list(s, c.JSON, all, apiKeyOf)
			}
		}
	})
}

type keyCreateCmd struct {
	Name       string   `name:"name" required:"" help:"What the key is for, such as \"HR import\"."`
	Scopes     []string `name:"scope" required:"" placeholder:"SCOPE" help:"What the key may do, such as people:read. Give the flag several times for several scopes."`
	OwnerEmail string   `name:"owner" required:"" placeholder:"EMAIL" help:"The admin who answers for the key. It works as long as this user is an admin."`
	Ends       string   `name:"ends" placeholder:"DAY" help:"A day, such as 2027-01-31, at most a year away. Default: 90 days."`
	JSON       bool     `name:"json" help:"Print as JSON."`
}

func (keyCreateCmd) Help() string {
	return "Example:\n  portico key create --name \"HR import\" --scope people:read --scope people:write --owner mara@example.com\n\nThe secret is printed once. Programs send it as 'Authorization: Bearer SECRET'. The scopes are: " + strings.Join(apikey.Scopes(), ", ") + "."
}

func (c keyCreateCmd) Run(s *session) error {
	for _, scope := range c.Scopes {
		if err := oneOf("scope", scope, apikey.Scopes()); err != nil {
			return err
		}
	}
	ends, err := endIfGiven(c.Ends)
	if err != nil {
		return err
	}
	return s.withUser(c.OwnerEmail, func(a *app.App, u account.Account) error {
		k, secret, err := a.Operator.MakeAPIKey(s, flow.ByOperator, u.ID, apikey.Ask{Name: c.Name, Scopes: c.Scopes, EndsAt: ends})
		return s.printSecret(c.JSON, k, secret, err)
	})
}

// printSecret prints a key and its new secret.
func (s *session) printSecret(asJSON bool, k flow.APIKey, secret string, err error) error {
	if err != nil {
		return err
	}
	shown := apiKeyOf(k)
	shown.Secret = secret
	return s.print(asJSON, shown, shown.String(), secret)
}

type keyRotateCmd struct {
	ID         string `arg:"" help:"The ID from 'portico key list'."`
	OwnerEmail string `name:"owner" placeholder:"EMAIL" help:"The admin who answers for the new secret. Default: the same as before."`
	Ends       string `name:"ends" placeholder:"DAY" help:"A day, such as 2027-01-31, at most a year away. Default: 90 days."`
	JSON       bool   `name:"json" help:"Print as JSON."`
}

func (keyRotateCmd) Help() string {
	return "Example:\n  portico key rotate 06ez4vhd01cz7qtdghsfps3q3r --ends 2027-01-31\n\nThe old secret works on until 'portico key end --old', or until the next rotation. It ends at once if its owner is no longer an admin. With it end the open invitations that the key has sent since it was made."
}

func (c keyRotateCmd) Run(s *session) error {
	ends, err := endIfGiven(c.Ends)
	if err != nil {
		return err
	}
	rotate := func(a *app.App, owner string) error {
		k, secret, err := a.Operator.RotateAPIKey(s, flow.ByOperator, owner, c.ID, ends)
		return s.printSecret(c.JSON, k, secret, err)
	}
	if c.OwnerEmail != "" {
		return s.withUser(c.OwnerEmail, func(a *app.App, u account.Account) error { return rotate(a, u.ID) })
	}
	return s.withApp(func(a *app.App) error {
		k, err := a.Operator.APIKey(s, c.ID)
		if err != nil {
			return err
		}
		if k.OwnerID == "" {
			return fmt.Errorf("%w: nobody answers for this key anymore: add --owner with the address of an admin", errUsage)
		}
		return rotate(a, k.OwnerID)
	})
}

type keyEndCmd struct {
	ID  string `arg:"" help:"The ID from 'portico key list'."`
	Old bool   `name:"old" help:"End only the old secret, after a rotation."`
}

func (keyEndCmd) Help() string {
	return "Example:\n  portico key end 06ez4vhd01cz7qtdghsfps3q3r\n\nThe next request with the key is refused. This cannot be undone."
}

func (c keyEndCmd) Run(s *session) error {
	return s.withApp(func(a *app.App) error {
		if err := a.Operator.EndAPIKey(s, flow.ByOperator, c.ID, c.Old); err != nil {
			return err
		}
		return s.print(false, nil, "ended\t"+c.ID)
	})
}
