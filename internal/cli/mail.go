package cli

import (
	"fmt"

	"portico/internal/app"
	"portico/internal/outbox"
)

type mailCmd struct {
	List  mailListCmd  `cmd:"" help:"List emails that could not be delivered, newest first."`
	Retry mailRetryCmd `cmd:"" help:"Try to send an email again."`
}

// undelivered is an email that was given up, in the output.
type undelivered struct {
	ID        string `json:"id"`
	Template  string `json:"template"`
	To        string `json:"to"`
	CreatedAt string `json:"created_at"`
	DeadAt    string `json:"dead_at"`
	Tries     int    `json:"tries"`
	Reason    string `json:"reason"`
}

func undeliveredOf(l outbox.Undelivered) undelivered {
	return undelivered{
		ID: l.ID, Template: l.Template, To: l.To, Tries: l.Claims, Reason: l.Reason,
		CreatedAt: l.CreatedAt.Format(timeForm), DeadAt: l.DeadAt.Format(timeForm),
	}
}

func (l undelivered) String() string {
	return fmt.Sprintf("%s\t%s\t%s\t%s\t%s", l.ID, l.DeadAt, l.Template, l.To, l.Reason)
}

type mailListCmd struct {
	JSON bool `name:"json" help:"Print as JSON."`
}

func (mailListCmd) Help() string { return "Example:\n  portico mail list" }

// Run lists up to 500 emails that were given up.
func (c mailListCmd) Run(s *session) error {
	return s.withApp(func(a *app.App) error {
		list, err := a.Undelivered(s, 500)
		if err != nil {
			return err
		}
		all, lines := make([]undelivered, 0, len(list)), make([]string, 0, len(list))
		for _, l := range list {
			all = append(all, undeliveredOf(l))
			lines = append(lines, undeliveredOf(l).String())
		}
		return s.print(c.JSON, all, lines...)
	})
}

type mailRetryCmd struct {
	ID string `arg:"" help:"The ID from 'portico mail list'."`
}

func (mailRetryCmd) Help() string { return "Example:\n  portico mail retry 7m3k..." }

// Run queues the email again. A running server sends it.
func (c mailRetryCmd) Run(s *session) error {
	return s.withApp(func(a *app.App) error { return a.RetryEmail(s, c.ID) })
}
