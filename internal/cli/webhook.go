package cli

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"portico/internal/app"
	"portico/internal/flow"
	"portico/internal/webhook"
)

type webhookCmd struct {
	List  webhookListCmd  `cmd:"" help:"List the webhooks of the settings and how many events wait for each."`
	Test  webhookTestCmd  `cmd:"" help:"Send a webhook an event of the type portico.test, and print the answer."`
	Retry webhookRetryCmd `cmd:"" help:"Send events again that were dropped, or one that was delivered."`
	Log   webhookLogCmd   `cmd:"" help:"List the events of a webhook with what became of them."`
}

// errRefused says that the receiver did not take a test.
var errRefused = errors.New("the receiver did not answer 2xx")

// hooked is a webhook in the output.
type hooked struct {
	Name    string   `json:"name"`
	URL     string   `json:"url"`
	Events  []string `json:"events"`
	Secrets int      `json:"secrets"`
	Waiting int      `json:"waiting"`
	Oldest  string   `json:"oldest_at"` // "" when nothing waits
}

func hookedOf(s flow.Webhook) hooked {
	h := hooked{Name: s.Name, URL: s.Address(), Events: s.Events, Secrets: len(s.Keys), Waiting: s.Waiting}
	if !s.Oldest.IsZero() {
		h.Oldest = s.Oldest.Format(timeForm)
	}
	return h
}

func (h hooked) String() string {
	return strings.Join([]string{h.Name, h.URL, strings.Join(h.Events, ","), strconv.Itoa(h.Waiting), h.Oldest}, "\t")
}

type webhookListCmd struct {
	JSON bool `name:"json" help:"Print as JSON."`
}

func (webhookListCmd) Help() string {
	return "Example:\n  portico webhook list\n\nPrints name, address, events, how many wait, and the time of the oldest one."
}

// Run lists the webhooks.
func (c webhookListCmd) Run(s *session) error {
	return s.withApp(func(a *app.App) error {
		all, err := a.Operator.Webhooks(s)
		if err != nil {
			return err
		}
		return list(s, c.JSON, all, hookedOf)
	})
}

type webhookTestCmd struct {
	Name string `arg:"" help:"The name of the webhook."`
}

func (webhookTestCmd) Help() string {
	return "Example:\n  portico webhook test shop\n\nSends from this machine, with the settings of the file. The event is not kept."
}

// Run sends the test and prints the answer.
func (c webhookTestCmd) Run(s *session) error {
	return s.withApp(func(a *app.App) error {
		r, err := a.TestWebhook(s, flow.ByOperator, c.Name)
		if err != nil {
			return err
		}
		if err := s.print(false, nil, "status: "+status(r.Status), "answer: "+r.Answer); err != nil || r.Delivered() {
			return err
		}
		return errRefused
	})
}

type webhookRetryCmd struct {
	Name string `arg:"" help:"The name of the webhook."`
	ID   string `arg:"" optional:"" help:"The ID from 'portico webhook log'."`
	All  bool   `help:"All events that were dropped."`
}

func (webhookRetryCmd) Help() string {
	return "Example:\n  portico webhook retry shop --all\n\nThe events keep their IDs, and come after those that wait for the same account. A running server sends them within seconds."
}

// Run queues the events again.
func (c webhookRetryCmd) Run(s *session) error {
	if (c.ID == "") != c.All {
		return fmt.Errorf("%w: write the ID of one event, or --all", errUsage)
	}
	return s.withApp(func(a *app.App) error {
		total := 0
		for r := (webhook.Retried{More: true}); r.More; total += r.Queued {
			var err error
			if r, err = a.Operator.RetryWebhook(s, flow.ByOperator, c.Name, c.ID, r.Before); err != nil {
				return err
			}
		}
		return s.print(false, nil, "queued again: "+counted(total, "event"))
	})
}

type webhookLogCmd struct {
	Name  string `arg:"" help:"The name of the webhook."`
	Limit int    `default:"100" help:"How many events, the newest first. At most 10000."`
	JSON  bool   `name:"json" help:"Print as JSON, with the beginning of each answer."`
}

func (webhookLogCmd) Help() string {
	return "Example:\n  portico webhook log shop --json\n\nPrints ID, state, event, account, time of the event, failures, status of the last answer, and its beginning. " +
		"An event is held while an earlier one of the same account waits. The log goes back a week."
}

// sentEvent is an event of a webhook in the output.
type sentEvent struct {
	ID       string `json:"id"`
	State    string `json:"state"`
	Type     string `json:"type"`
	User     string `json:"user"`
	Change   string `json:"change"`
	At       string `json:"at"`
	DueAt    string `json:"due_at"` // "" after its end
	TriedAt  string `json:"tried_at"`
	EndedAt  string `json:"ended_at"`
	Failures int64  `json:"failures"`
	Status   int    `json:"status"` // 0 without an answer
	Answer   string `json:"answer"`
}

func sentEventOf(d webhook.Delivery) sentEvent {
	e := sentEvent{
		ID: d.ID, State: string(d.State), Type: d.Type, User: d.AccountID, Change: d.Change, At: d.At.Format(timeForm),
		Failures: d.Failures, Status: d.Status, Answer: d.Answer,
	}
	if !d.TriedAt.IsZero() {
		e.TriedAt = d.TriedAt.Format(timeForm)
	}
	if d.EndedAt.IsZero() {
		e.DueAt = d.DueAt.Format(timeForm)
	} else {
		e.EndedAt = d.EndedAt.Format(timeForm)
	}
	return e
}

func (e sentEvent) String() string {
	answer := []rune(e.Answer)
	return strings.Join([]string{e.ID, e.State, e.Type, e.User, e.At, strconv.FormatInt(e.Failures, 10), status(e.Status), string(answer[:min(len(answer), 80)])}, "\t")
}

// status returns the status of an answer in words.
func status(code int) string {
	if code == 0 {
		return "none"
	}
	return strconv.Itoa(code)
}

// Run lists the events of a webhook.
func (c webhookLogCmd) Run(s *session) error {
	if c.Limit < 1 || c.Limit > 10000 {
		return fmt.Errorf("%w: --limit is from 1 to 10000", errUsage)
	}
	return s.withApp(func(a *app.App) error {
		_, page, err := a.Operator.Deliveries(s, c.Name, "", c.Limit)
		if err != nil {
			return err
		}
		return list(s, c.JSON, page.Items, sentEventOf)
	})
}
