package cli

import (
	"io"

	"portico/internal/account"
	"portico/internal/app"
	"portico/internal/flow"
)

type userSetEmailCmd struct {
	Email string `arg:"" help:"The email address of the account."`
	To    string `arg:"" help:"The new email address. It counts as verified."`
}

func (userSetEmailCmd) Help() string {
	return "Example:\n  portico user set-email mara@example.com mara@example.org\n\nAll other addresses of the account are removed, because each of them could recover it. " +
		"Nothing happens if the new address is already the only one."
}

func (c userSetEmailCmd) Run(s *session) error {
	return s.withUser(c.Email, func(a *app.App, u account.Account) error {
		return a.Operator.SetUserAddress(s, flow.ByOperator, u.ID, c.To)
	})
}

type userSetNameCmd struct {
	Email string `arg:"" help:"The email address of the account."`
	Name  string `arg:"" help:"The new name. An empty name removes it."`
}

func (userSetNameCmd) Help() string {
	return "Example:\n  portico user set-name mara@example.com \"Mara Lind\"\n\nApps see the new name within a second, and the user stays signed in."
}

func (c userSetNameCmd) Run(s *session) error {
	return s.withUser(c.Email, func(a *app.App, u account.Account) error {
		return a.Operator.SetUserName(s, flow.ByOperator, u.ID, c.Name)
	})
}

type userSetClaimsCmd struct {
	Email  string `arg:"" help:"The email address of the account."`
	Claims string `arg:"" help:"A JSON object of at most 4 KiB, or - to read it from the standard input. An empty one removes the claims."`
}

func (userSetClaimsCmd) Help() string {
	return "Example:\n  portico user set-claims mara@example.com '{\"quota\": 5}'\n\nThe setting extra_claims says which app gets what. Apps see it within a second, and the user stays signed in."
}

func (c userSetClaimsCmd) Run(s *session) error {
	typed := c.Claims
	if typed == "-" {
		all, err := io.ReadAll(io.LimitReader(s.Stdin, 1<<20))
		if err != nil {
			return err
		}
		typed = string(all)
	}
	return s.withUser(c.Email, func(a *app.App, u account.Account) error {
		return a.Operator.SetUserClaims(s, flow.ByOperator, u.ID, typed, "")
	})
}

type userRemovePictureCmd struct {
	Email string `arg:"" help:"The email address of the account."`
}

func (userRemovePictureCmd) Help() string {
	return "Example:\n  portico user remove-picture mara@example.com\n\nApps that have loaded the picture may show it for an hour. The user can add another one."
}

func (c userRemovePictureCmd) Run(s *session) error {
	return s.withUser(c.Email, func(a *app.App, u account.Account) error {
		return a.Operator.RemoveUserPortrait(s, flow.ByOperator, u.ID)
	})
}

type userUnlinkCmd struct {
	Email    string `arg:"" help:"The email address of the account."`
	Provider string `arg:"" help:"The id of the provider, as in the configuration."`
}

func (userUnlinkCmd) Help() string {
	return "Example:\n  portico user unlink mara@example.com google\n\nA user without another way to sign in sets a password through \"Forgot your password?\"."
}

func (c userUnlinkCmd) Run(s *session) error {
	return s.withUser(c.Email, func(a *app.App, u account.Account) error {
		return a.Operator.UnlinkUser(s, flow.ByOperator, u.ID, c.Provider)
	})
}
