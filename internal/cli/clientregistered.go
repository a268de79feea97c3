package cli

import (
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"portico/internal/app"
	"portico/internal/flow"
	"portico/internal/openid"
)

// registered returns the rows of 'portico client list' for clients that have registered
// themselves.
func (s *session) registered() (rows []clientRow, err error) {
	err = s.withApp(func(a *app.App) error {
		list, err := a.Operator.Registered(s)
		for _, r := range list {
			var told openid.Registration
			if err := json.Unmarshal([]byte(r.Metadata), &told); err != nil {
				return err
			}
			rows = append(rows, clientRow{r.ID, registeredProof(told.Method), told.RedirectURIs})
		}
		return err
	})
	return rows, err
}

// registeredProof returns how a registered client authenticates.
func registeredProof(method string) string {
	switch method {
	case "none":
		return "public"
	case "private_key_jwt":
		return "key"
	}
	return "secret"
}

// fill adds what a client has registered, if it is there.
func (d *clientDetail) fill(s *session, a *app.App) error {
	r, ok, err := a.Operator.RegisteredByID(s, d.ID)
	if err != nil || !ok {
		return err
	}
	var told openid.Registration
	if err := json.Unmarshal([]byte(r.Metadata), &told); err != nil {
		return err
	}
	d.Registered, d.Ends = true, r.EndsAt.Format(timeForm)
	d.Proof, d.Redirects = registeredProof(told.Method), told.RedirectURIs
	d.Scopes, d.Grants, d.Returns = strings.Fields(told.Scope), told.GrantTypes, told.LogoutReturns
	d.Logout = told.LogoutURI
	return nil
}

type clientTokenCmd struct {
	New    clientTokenNewCmd    `cmd:"" help:"Print a token with which apps may register themselves."`
	List   clientTokenListCmd   `cmd:"" help:"List the tokens that still work."`
	Delete clientTokenDeleteCmd `cmd:"" help:"Delete a token."`
}

type tokenOut struct {
	ID        string `json:"id"`
	Uses      int64  `json:"uses_left"`
	ExpiresAt string `json:"expires_at"`
	Token     string `json:"token,omitempty"`
}

func tokenOf(t openid.InitialToken) tokenOut {
	return tokenOut{ID: t.ID, Uses: t.Uses, ExpiresAt: t.ExpiresAt.Format(timeForm)}
}

func (t tokenOut) String() string {
	return strings.Join([]string{t.ID, fmt.Sprintf("%d left", t.Uses), "until " + t.ExpiresAt}, "\t")
}

type clientTokenNewCmd struct {
	Uses int64         `name:"uses" default:"1" help:"How many apps may register with it."`
	For  time.Duration `name:"for" default:"24h" help:"How long it is valid, at most 720h."`
	JSON bool          `name:"json" help:"Print as JSON."`
}

func (clientTokenNewCmd) Help() string {
	return "Example:\n  portico client token new --uses 5 --for 72h\n\nThe token is printed once. Give it to the app as its initial access token. The setting openid.registration must be true."
}

func (c clientTokenNewCmd) Run(s *session) error {
	cfg, err := s.settings()
	if err != nil {
		return err
	}
	switch {
	case !cfg.OpenID.Registration:
		return fmt.Errorf("%w: apps may not register themselves: write registration = true below [openid], and run 'portico reload'", errUsage)
	case c.Uses < 1 || c.Uses > 1000:
		return fmt.Errorf("%w: --uses must be a number from 1 to 1000", errUsage)
	case c.For < time.Minute || c.For > 30*24*time.Hour:
		return fmt.Errorf("%w: --for must be a time from 1m to 720h", errUsage)
	}
	return s.withApp(func(a *app.App) error {
		text, t, err := a.Operator.AllowRegistrations(s, flow.ByOperator, c.Uses, c.For)
		if err != nil {
			return err
		}
		out := tokenOf(t)
		out.Token = text
		return s.print(c.JSON, out, out.String(), text)
	})
}

type clientTokenListCmd struct {
	JSON bool `name:"json" help:"Print as JSON."`
}

func (clientTokenListCmd) Help() string { return "Example:\n  portico client token list" }

func (c clientTokenListCmd) Run(s *session) error {
	return s.withApp(func(a *app.App) error {
		tokens, err := a.Operator.InitialTokens(s)
		if err != nil {
			return err
		}
		return list(s, c.JSON, tokens, tokenOf)
	})
}

type clientTokenDeleteCmd struct {
	ID string `arg:"" name:"id" help:"The id of the token, as 'portico client token list' prints it."`
}

func (clientTokenDeleteCmd) Help() string {
	return "Example:\n  portico client token delete 06ez4vhd01cz7qtdghsfps3q3r\n\nApps that have registered with it stay registered."
}

func (c clientTokenDeleteCmd) Run(s *session) error {
	return s.withApp(func(a *app.App) error {
		there, err := a.Operator.EndInitialToken(s, flow.ByOperator, c.ID)
		if err == nil && !there {
			err = fmt.Errorf("%w: unknown token", errAbsent)
		}
		if err != nil {
			return err
		}
		return s.print(false, nil, "deleted\t"+c.ID)
	})
}
