package cli

import (
	"slices"
	"strconv"
	"strings"

	"portico/internal/account"
	"portico/internal/app"
	"portico/internal/flow"
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
	withFactors
	Browsers  int      `json:"trusted_browsers"`
	Providers []string `json:"providers"`
}

func detailOf(p flow.Person) personDetail {
	d := personDetail{Browsers: len(p.Browsers), Providers: []string{}}
	d.withFactors = withFactors{person: personOf(p.Account), Passkeys: len(p.Passkeys), Apps: len(p.Factors), RecoveryCodes: p.Codes}
	d.erasedAt(p.Leaves.EraseAt)
	d.Addresses = addressesOf(p.Addresses)
	for _, i := range p.Identities {
		if !slices.Contains(d.Providers, i.Provider) {
			d.Providers = append(d.Providers, i.Provider)
		}
	}
	return d
}

// Run prints a line for each part of the account that has a value, and for each count.
func (c userShowCmd) Run(s *session) error {
	return s.withUser(c.Email, func(a *app.App, u account.Account) error {
		known, err := a.Operator.Person(s, u.ID)
		if err != nil {
			return err
		}
		p := detailOf(known)
		password := "no"
		if p.Password {
			password = "yes"
		}
		lines := filled([][2]string{
			{"id", p.ID}, {"email", p.Email}, {"name", p.Name}, {"state", p.State}, {"roles", strings.Join(p.Roles, ",")},
			{"password", password}, {"passkeys", strconv.Itoa(p.Passkeys)}, {"authenticator_apps", strconv.Itoa(p.Apps)},
			{"recovery_codes_left", strconv.Itoa(p.RecoveryCodes)}, {"trusted_browsers", strconv.Itoa(p.Browsers)},
			{"providers", strings.Join(p.Providers, ",")}, {"created", p.CreatedAt}, {"ends", p.EndsAt}, {"erased", p.ErasedAt}, {"claims", string(p.Claims)}, {"terms", strings.TrimSpace(p.Terms + " " + p.TermsAt)},
		})
		for _, o := range p.Addresses {
			lines = append(lines, "address\t"+o.String())
		}
		return s.print(c.JSON, p, lines...)
	})
}
