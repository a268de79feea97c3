package cli

import (
	"errors"
	"fmt"

	"portico/internal/app"
	"portico/internal/fault"
	"portico/internal/flow"
	"portico/internal/outbox"
)

type mailDropCmd struct {
	IDs     []string `arg:"" optional:"" name:"id" help:"The IDs from 'portico mail list'."`
	GivenUp bool     `help:"All that were given up, emails and messages to clients about ended sessions."`
	Waiting bool     `help:"All emails that wait."`
	JSON    bool     `name:"json" help:"Print as JSON."`
}

func (mailDropCmd) Help() string {
	return "Example:\n  portico mail drop 7m3k...\n\nPrints each email that was dropped, as 'portico mail list' does. An email that is being sent may still arrive."
}

// Run deletes emails and prints them.
func (c mailDropCmd) Run(s *session) error {
	if (len(c.IDs) > 0) == (c.GivenUp || c.Waiting) {
		return fmt.Errorf("%w: write the IDs of emails, or --given-up, or --waiting", errUsage)
	}
	return s.withApp(func(a *app.App) error {
		var dropped []outbox.Listed
		var err error
		if len(c.IDs) > 0 {
			dropped, err = s.dropMails(a, c.IDs)
		} else {
			dropped, err = c.dropAll(s, a)
		}
		return errors.Join(list(s, c.JSON, dropped, unsentOf), err)
	})
}

// dropMails drops the emails. After an error it returns the emails that are dropped already.
func (s *session) dropMails(a *app.App, ids []string) (dropped []outbox.Listed, err error) {
	for _, id := range ids {
		l, err := a.Operator.DropMail(s, flow.ByOperator, id)
		if err != nil {
			return dropped, err
		}
		dropped = append(dropped, l)
	}
	return dropped, nil
}

// dropAll drops all emails of the states, page by page. It leaves out an email that is
// sent meanwhile.
func (c mailDropCmd) dropAll(s *session, a *app.App) (dropped []outbox.Listed, err error) {
	for {
		waiting, dead, _, err := a.Unsent(s, listedMails, outbox.Emails...)
		if err != nil {
			return dropped, err
		}
		var page []outbox.Listed
		if c.Waiting {
			page = append(page, waiting...)
		}
		if c.GivenUp {
			page = append(page, dead...)
		}
		if len(page) == 0 {
			return dropped, nil
		}
		for _, l := range page {
			switch one, err := a.Operator.DropMail(s, flow.ByOperator, l.ID); {
			case err == nil:
				dropped = append(dropped, one)
			case fault.From(err).Code != outbox.CodeUnknown:
				return dropped, err
			}
		}
	}
}
