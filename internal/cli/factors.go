package cli

import (
	"fmt"
	"strings"

	"portico/internal/account"
	"portico/internal/app"
	"portico/internal/factor"
	"portico/internal/flow"
)

// factors are the second factors of an account in the output.
type factors struct {
	Factors       []factorOut `json:"factors"`
	RecoveryCodes int         `json:"recovery_codes_left"`
}

type factorOut struct {
	ID        string `json:"id"`
	Kind      string `json:"kind"`
	CreatedAt string `json:"created_at"`
	UsedAt    string `json:"last_used_at"`
}

func factorOf(f factor.Factor) factorOut {
	return factorOut{ID: f.ID, Kind: string(f.Kind), CreatedAt: f.CreatedAt.Format(timeForm), UsedAt: f.UsedAt.Format(timeForm)}
}

func (f factorOut) String() string {
	return strings.Join([]string{f.ID, f.Kind, f.CreatedAt, f.UsedAt}, "\t")
}

type userFactorsCmd struct {
	Email string `arg:"" help:"The email address of the account."`
	JSON  bool   `name:"json" help:"Print the factors as JSON."`
}

func (userFactorsCmd) Help() string {
	return "Example:\n  portico user factors mara@example.com\n\nPrints id, kind, the time it was added and the time it was last used."
}

func (c userFactorsCmd) Run(s *session) error {
	return s.withUser(c.Email, func(a *app.App, u account.Account) error {
		have, err := a.Operator.Factors(s, u.ID)
		if err != nil {
			return err
		}
		out := factors{Factors: []factorOut{}, RecoveryCodes: have.Left}
		lines := []string{}
		for _, f := range have.Factors {
			out.Factors = append(out.Factors, factorOf(f))
			lines = append(lines, factorOf(f).String())
		}
		lines = append(lines, fmt.Sprintf("recovery codes left: %d", have.Left))
		return s.print(c.JSON, out, lines...)
	})
}

type userResetFactorsCmd struct {
	Email string `arg:"" help:"The email address of the account."`
}

func (userResetFactorsCmd) Help() string {
	return "Example:\n  portico user reset-factors mara@example.com\n\nConfirm through another channel that the user asked for this. It removes authenticator apps, recovery codes and passkeys. The next sign-in needs the password only."
}

func (c userResetFactorsCmd) Run(s *session) error {
	return s.withUser(c.Email, func(a *app.App, u account.Account) error {
		removed, err := a.Operator.ResetFactors(s, flow.ByOperator, u.ID)
		if err != nil {
			return err
		}
		return s.print(false, nil, fmt.Sprintf("removed: %d authenticator apps, %d passkeys", removed.Factors, removed.Passkeys))
	})
}
