package cli

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"portico/internal/account"
	"portico/internal/app"
	"portico/internal/audit"
	"portico/internal/flow"
	"portico/internal/ids"
	"portico/internal/server"
)

type auditCmd struct {
	Export auditExportCmd `cmd:"" help:"Write audit records as JSON lines or as CSV, the newest first."`
	Verify auditVerifyCmd `cmd:"" help:"Check that no audit record was changed, removed or added after it was sealed."`
}

type auditExportCmd struct {
	Email   string   `arg:"" optional:"" help:"Only records of this account: its address, or its id after it was deleted."`
	Actor   string   `help:"Only records with this actor, such as operator." placeholder:"ACTOR"`
	Network string   `help:"Only records from this network, or from that of an address." placeholder:"NETWORK"`
	Event   []string `help:"Only this event. Can be repeated." placeholder:"NAME" sep:"none"`
	From    string   `help:"Only records from this day on (UTC)." placeholder:"YYYY-MM-DD"`
	Until   string   `help:"Only records before this day (UTC)." placeholder:"YYYY-MM-DD"`
	CSV     bool     `name:"csv" help:"Write CSV, with an apostrophe before a text that a spreadsheet would take for a formula."`
}

func (auditExportCmd) Help() string {
	return "Example:\n  portico audit export --event roles_changed --from 2026-01-01 --csv > roles.csv\n\nThe export itself is recorded."
}

// Run writes the records as they come from the database.
func (c auditExportCmd) Run(s *session) error {
	q := audit.Query{Actor: c.Actor}
	if c.Email != "" && !strings.Contains(c.Email, "@") && !ids.Valid(c.Email) {
		return fmt.Errorf("%w: %s is neither an email address nor the id of an account", errUsage, c.Email)
	}
	if c.Network != "" {
		network, ok := server.NetworkOf(c.Network)
		if !ok {
			return fmt.Errorf("%w: --network is an address, or a network such as 192.0.2.1/32 or 2001:db8::/64", errUsage)
		}
		q.Peer = network.String()
	}
	var err error
	if q.From, err = day("--from", c.From); err != nil {
		return err
	}
	if q.To, err = day("--until", c.Until); err != nil {
		return err
	}
	for _, name := range c.Event {
		if err := oneOf("event", name, slices.Sorted(slices.Values(audit.Names()))); err != nil {
			return err
		}
		q.Names = append(q.Names, audit.Name(name))
	}
	format := audit.JSONLines
	if c.CSV {
		format = audit.CSV
	}
	return s.withApp(func(a *app.App) error {
		if q.AccountID = c.Email; strings.Contains(c.Email, "@") {
			var u account.Account
			if u, err = a.Operator.User(s, c.Email); err != nil {
				return err
			}
			q.AccountID = u.ID
		}
		return a.Operator.ExportRecord(s, flow.ByOperator, q, audit.NewWriter(s.Stdout, format))
	})
}

// day parses the day of a flag, "" for none.
func day(flag, text string) (time.Time, error) {
	if text == "" {
		return time.Time{}, nil
	}
	at, err := time.Parse(time.DateOnly, text)
	if err != nil {
		err = fmt.Errorf("%w: %s is a day, such as 2026-01-31", errUsage, flag)
	}
	return at, err
}
