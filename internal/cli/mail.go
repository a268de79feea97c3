package cli

import (
	"fmt"
	"strings"

	"portico/internal/app"
	"portico/internal/flow"
	"portico/internal/outbox"
)

type mailCmd struct {
	List  mailListCmd  `cmd:"" help:"List emails that wait or that could not be delivered."`
	Retry mailRetryCmd `cmd:"" help:"Try to send emails again that could not be delivered."`
	Flush mailFlushCmd `cmd:"" help:"Try to send all waiting emails now, for example after the mail server was away."`
	Drop  mailDropCmd  `cmd:"" help:"Delete emails that wait or that could not be delivered."`
}

// unsent is an email that is not delivered, in the output.
type unsent struct {
	ID            string `json:"id"`
	State         string `json:"state"` // waiting, suppressed or given up
	Template      string `json:"template"`
	To            string `json:"to"`
	CreatedAt     string `json:"created_at"`
	NextAttemptAt string `json:"next_attempt_at"` // "" when it was given up
	DeadAt        string `json:"dead_at"`         // "" while it waits
	Tries         int    `json:"tries"`
	Reason        string `json:"reason"` // of the last failure
}

func unsentOf(l outbox.Listed) unsent {
	u := unsent{
		ID: l.ID, State: string(outbox.Waiting), Template: l.Template, To: l.To, Tries: l.Claims, Reason: l.Reason,
		CreatedAt: l.CreatedAt.Format(timeForm),
	}
	switch {
	case l.Dead():
		u.State, u.DeadAt = string(outbox.GivenUp), l.DeadAt.Format(timeForm)
		return u
	case l.Suppressed:
		u.State = string(outbox.Suppressed)
	}
	u.NextAttemptAt = l.DueAt.Format(timeForm)
	return u
}

func (u unsent) String() string {
	return strings.Join([]string{u.ID, u.State, u.NextAttemptAt + u.DeadAt, u.Template, u.To, u.Reason}, "\t")
}

// listedMails is how many emails of each state 'portico mail list' has.
const listedMails = 500

type mailListCmd struct {
	JSON bool `name:"json" help:"Print as JSON."`
}

func (mailListCmd) Help() string {
	return "Example:\n  portico mail list\n\nPrints ID, state, time, template, recipient and the reason of the last failure. " +
		"The time of a waiting email is its next attempt. The time of one that was given up is when that happened. " +
		"A suppressed email is never sent: it is for an address that must not get it."
}

// Run lists the waiting emails, the next one first, and then the emails that were given
// up, the newest first.
func (c mailListCmd) Run(s *session) error {
	return s.withApp(func(a *app.App) error {
		waiting, dead, more, err := a.Unsent(s, listedMails)
		if err != nil {
			return err
		}
		if err := list(s, c.JSON, append(waiting, dead...), unsentOf); err != nil {
			return err
		}
		if more > 0 {
			least := ""
			if more == app.MostMore {
				least = "at least "
			}
			complain(s.Stderr, "portico:", least+counted(more, "more message"), "not listed")
		}
		return nil
	})
}

type mailRetryCmd struct {
	ID  string `arg:"" optional:"" help:"The ID from 'portico mail list'."`
	All bool   `help:"All emails that were given up and whose content has not expired."`
}

func (mailRetryCmd) Help() string {
	return "Example:\n  portico mail retry 7m3k...\n\nA running server tries within seconds. For emails that wait, use 'portico mail flush'."
}

// Run queues the email again. A running server sends it.
func (c mailRetryCmd) Run(s *session) error {
	if (c.ID == "") != c.All {
		return fmt.Errorf("%w: write the ID of one email, or --all", errUsage)
	}
	return s.withApp(func(a *app.App) error {
		if !c.All {
			return a.Operator.MailAgain(s, flow.ByOperator, "", c.ID)
		}
		n, err := a.Operator.MailAllAgain(s, flow.ByOperator)
		if err != nil {
			return err
		}
		return s.print(false, nil, "queued again: "+counted(n, "message"))
	})
}

type mailFlushCmd struct{}

func (mailFlushCmd) Help() string {
	return "Example:\n  portico mail flush\n\nA running server tries each waiting email within seconds, and counts its failures from zero. " +
		"An email that is being sent, or whose next attempt is within " + outbox.Near.String() + ", keeps its time. For emails that were given up, use 'portico mail retry --all'."
}

// Run makes all waiting emails due.
func (mailFlushCmd) Run(s *session) error {
	return s.withApp(func(a *app.App) error {
		made, waiting, err := a.FlushEmails(s)
		if err != nil {
			return err
		}
		lines := []string{"due now: " + counted(int(made), "message")}
		if soon := waiting - int(made); soon > 0 {
			lines = append(lines, fmt.Sprintf("due within %s: %s", outbox.Near, counted(soon, "message")))
		}
		return s.print(false, nil, lines...)
	})
}
