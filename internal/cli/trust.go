package cli

import (
	"fmt"
	"strings"

	"portico/internal/account"
	"portico/internal/app"
	"portico/internal/flow"
	"portico/internal/trust"
	"portico/internal/useragent"
)

type userTrustCmd struct {
	List userTrustListCmd `cmd:"" help:"List the browsers that an account trusts."`
	End  userTrustEndCmd  `cmd:"" help:"End the trust of an account in all browsers."`
}

type trustOut struct {
	ID        string `json:"id"`
	Browser   string `json:"browser"`
	CreatedAt string `json:"created_at"`
	UsedAt    string `json:"last_used_at"`
	ExpiresAt string `json:"expires_at"`
}

func trustOf(b trust.Browser) trustOut {
	return trustOut{
		ID: b.ID, Browser: useragent.Describe(b.UserAgent),
		CreatedAt: b.CreatedAt.Format(timeForm), UsedAt: b.UsedAt.Format(timeForm), ExpiresAt: b.ExpiresAt.Format(timeForm),
	}
}

func (t trustOut) String() string {
	return strings.Join([]string{t.ID, t.Browser, t.CreatedAt, t.UsedAt, t.ExpiresAt}, "\t")
}

type userTrustListCmd struct {
	Email string `arg:"" help:"The email address of the account."`
	JSON  bool   `name:"json" help:"Print the browsers as JSON."`
}

func (userTrustListCmd) Help() string {
	return "Example:\n  portico user trust list mara@example.com\n\nPrints id, browser, the time it was trusted, the time it was last used and the time when the trust ends."
}

func (c userTrustListCmd) Run(s *session) error {
	return s.withUser(c.Email, func(a *app.App, u account.Account) error {
		trusted, err := a.Operator.TrustedBrowsers(s, u.ID)
		if err != nil {
			return err
		}
		return list(s, c.JSON, trusted, trustOf)
	})
}

type userTrustEndCmd struct {
	Email string `arg:"" help:"The email address of the account."`
}

func (userTrustEndCmd) Help() string {
	return "Example:\n  portico user trust end mara@example.com\n\nThe next sign-in in each browser asks for the second factor. Sessions continue: 'portico session end' ends them."
}

func (c userTrustEndCmd) Run(s *session) error {
	return s.withUser(c.Email, func(a *app.App, u account.Account) error {
		ended, err := a.Operator.EndUserTrust(s, flow.ByOperator, u.ID)
		if err != nil {
			return err
		}
		return s.print(false, nil, fmt.Sprintf("ended: %d trusted browsers", ended))
	})
}
