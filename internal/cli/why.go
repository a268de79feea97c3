package cli

import (
	"fmt"
	"strings"

	"portico/internal/app"
	"portico/internal/flow"
	"portico/internal/server/admin"
)

type whyCmd struct {
	Email  string `arg:"" optional:"" help:"The email address. It needs no account."`
	Client string `name:"client" placeholder:"ID" help:"The id of an OpenID client, instead of an address: prints its last refused requests."`
	JSON   bool   `name:"json" help:"Print as JSON."`
}

func (whyCmd) Help() string {
	return "Example:\n  portico why mara@example.com\n  portico why --client wiki\n\nFor an address, prints one line for each email with the answer of the mail server, each audit record, provider, session and limit, by time, and then each rule that asks for a role which the account does not have. " +
		"A limit is shown with the time when it ends. " + unseen + "\n\nFor an OpenID client, asks the 'portico serve' of this machine, at ops_listen, and prints why the client was refused, what it sent and the nearest registered value. Identical refusals share a line. The server forgets them when it stops; the log has each of them."
}

// unseen names the limits that the story of an address cannot have.
const unseen = "Limits of one network or browser are not stored by address, and do not appear here: see the log and the metric portico_throttle_refusals_total."

// story is a flow.Story in the output.
type story struct {
	Email    string               `json:"email"`
	Account  *person              `json:"account"` // null without one
	Timeline []moment             `json:"timeline"`
	Refusing []admin.AdminRefusal `json:"refusing"`
}

type moment struct {
	At     string `json:"at"`
	Kind   string `json:"kind"`
	What   string `json:"what"`
	Detail string `json:"detail"`
}

func storyOf(s flow.Story) story {
	out := story{Email: s.Address, Timeline: []moment{}, Refusing: []admin.AdminRefusal{}}
	if s.Account != nil {
		p := personOf(*s.Account)
		out.Account = &p
	}
	for _, m := range s.Timeline {
		out.Timeline = append(out.Timeline, moment{m.At.Format(timeForm), m.Kind, m.What, m.Detail})
	}
	return out
}

// Run prints the timeline of an address, or the refused requests of an OpenID client.
func (c whyCmd) Run(s *session) error {
	switch {
	case (c.Email == "") == (c.Client == ""):
		return fmt.Errorf("%w: write an email address, or --client and the id of an OpenID client", errUsage)
	case c.Client != "":
		return c.refusals(s)
	}
	return s.withApp(func(a *app.App) error {
		told, err := a.Operator.Why(s, c.Email)
		if err != nil {
			return err
		}
		out := storyOf(told)
		first := out.Email + "\tno account"
		if out.Account != nil {
			first = out.Account.String()
			out.Refusing = app.Refusing(a.Config, told.Account.Roles)
		}
		lines := []string{first}
		for _, m := range out.Timeline {
			lines = append(lines, strings.Join([]string{m.At, m.Kind, m.What, m.Detail}, "\t"))
		}
		for _, r := range out.Refusing {
			lines = append(lines, strings.Join([]string{"rule", r.Of, r.Rule, "the account has no such role", r.Source}, "\t"))
		}
		return s.print(c.JSON, out, append(lines, unseen)...)
	})
}
