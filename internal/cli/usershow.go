package cli

import (
	"strconv"
	"strings"

	"portico/internal/account"
	"portico/internal/app"
)

type userShowCmd struct {
	Email string `arg:"" help:"The email address of the account."`
	JSON  bool   `name:"json" help:"Print the account as JSON."`
}

func (userShowCmd) Help() string {
	return "Example:\n  portico user show mara@example.com\n\nCounts what the account signs in with. 'portico user passkeys', 'factors' and 'trust list' have the details."
}

// personDetail is an account with what it signs in with.
type personDetail struct {
	person
	Passkeys      int      `json:"passkeys"`
	Apps          int      `json:"authenticator_apps"`
	RecoveryCodes int      `json:"recovery_codes_left"`
	Browsers      int      `json:"trusted_browsers"`
	Providers     []string `json:"providers"`
}

func detailOf(s *session, a *app.App, u account.Account) (personDetail, error) {
	p := personDetail{person: personOf(u), Providers: []string{}}
	others, err := a.Operator.Addresses(s, u.ID)
	if err != nil {
		return p, err
	}
	passkeys, err := a.Operator.Passkeys(s, u.ID)
	if err != nil {
		return p, err
	}
	second, err := a.Operator.Factors(s, u.ID)
	if err != nil {
		return p, err
	}
	browsers, err := a.Operator.TrustedBrowsers(s, u.ID)
	if err != nil {
		return p, err
	}
	linked, err := a.Operator.OwnProviders(s, u.ID)
	for _, l := range linked {
		if !l.Since.IsZero() {
			p.Providers = append(p.Providers, l.ID)
		}
	}
	p.Addresses = addressesOf(others)
	p.Passkeys, p.Apps, p.RecoveryCodes, p.Browsers = len(passkeys), len(second.Factors), second.Left, len(browsers)
	return p, err
}

// Run prints a line for each part of the account that has a value, and for each count.
func (c userShowCmd) Run(s *session) error {
	return s.withUser(c.Email, func(a *app.App, u account.Account) error {
		p, err := detailOf(s, a, u)
		if err != nil {
			return err
		}
		password := "no"
		if p.Password {
			password = "yes"
		}
		lines := filled([][2]string{
			{"id", p.ID}, {"email", p.Email}, {"name", p.Name}, {"state", p.State}, {"roles", strings.Join(p.Roles, ",")},
			{"password", password}, {"passkeys", strconv.Itoa(p.Passkeys)}, {"authenticator_apps", strconv.Itoa(p.Apps)},
			{"recovery_codes_left", strconv.Itoa(p.RecoveryCodes)}, {"trusted_browsers", strconv.Itoa(p.Browsers)},
			{"providers", strings.Join(p.Providers, ",")}, {"created", p.CreatedAt}, {"ends", p.EndsAt}, {"claims", p.Claims}, {"terms", strings.TrimSpace(p.Terms + " " + p.TermsAt)},
		})
		for _, o := range p.Addresses {
			lines = append(lines, "address\t"+o.String())
		}
		return s.print(c.JSON, p, lines...)
	})
}
