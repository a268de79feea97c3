package cli

import (
	"fmt"
	"time"

	"portico/internal/account"
	"portico/internal/app"
	"portico/internal/flow"
)

type userSetEndCmd struct {
	Email string `arg:"" help:"The email address of the account."`
	End   string `arg:"" help:"A day, such as 2027-01-31, a time, such as 2027-01-31T18:00:00+01:00, or never."`
}

func (userSetEndCmd) Help() string {
	return "Example:\n  portico user set-end mara@example.com 2027-01-31\n  portico user set-end mara@example.com never\n\nFrom that time on, the account is disabled and signed out everywhere. A day begins at midnight in UTC. An account that is disabled already stays so: see 'portico user enable'."
}

func (c userSetEndCmd) Run(s *session) error {
	at, err := endOf(c.End)
	if err != nil {
		return err
	}
	return s.withUser(c.Email, func(a *app.App, u account.Account) error {
		return a.Operator.SetUserEnd(s, flow.ByOperator, u.ID, at)
	})
}

// endOf parses an end: the zero time for never.
func endOf(text string) (at time.Time, err error) {
	if text == "never" {
		return at, nil
	}
	for _, form := range []string{time.DateOnly, time.RFC3339} {
		if at, err = time.Parse(form, text); err == nil {
			return at, nil
		}
	}
	return at, fmt.Errorf("%w: the end is a day, such as 2027-01-31, a time, such as 2027-01-31T18:00:00Z, or never", errUsage)
}

// endIfGiven is endOf for a flag that may be left out.
func endIfGiven(text string) (at time.Time, err error) {
	if text == "" {
		return at, nil
	}
	return endOf(text)
}
