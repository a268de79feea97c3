package cli

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"portico/internal/app"
	"portico/internal/flow"
)

type userWelcomeCmd struct {
	conditions `embed:""`
	Rate       string `help:"How many emails, in an hour or a minute." placeholder:"COUNT/h" default:"100/h"`
	Unproven   bool   `help:"Also accounts whose address came as unverified."`
	DryRun     bool   `help:"Only count, and send nothing."`
	Stop       bool   `help:"Send no more of the emails that wait."`
	JSON       bool   `name:"json" help:"Print the counts as JSON."`
}

func (userWelcomeCmd) Help() string {
	return "Example:\n  portico user welcome --dry-run\n  portico user welcome --role staff --rate 10/m\n\n" +
		"Each person gets one email, also if the command runs again. The server sends them one after the other. Who has signed in by then gets none, and neither does a closed account. " +
		"With another rate, the command changes that of the emails that wait."
}

// paceOf returns the time between two emails of a rate.
func paceOf(rate string) (time.Duration, error) {
	const most = 36_000 // an hour
	count, unit, _ := strings.Cut(rate, "/")
	n, err := strconv.Atoi(count)
	per, known := map[string]time.Duration{"h": time.Hour, "m": time.Minute}[unit]
	if err != nil || !known || n < 1 || time.Duration(n)*time.Hour > most*per {
		return 0, fmt.Errorf("%w: --rate is a number of emails in an hour or a minute, such as 100/h or 10/m, and at most %d/h", errUsage, most)
	}
	return per / time.Duration(n), nil
}

func (c userWelcomeCmd) Run(s *session) error {
	q, err := c.query()
	if err != nil {
		return err
	}
	pace, err := paceOf(c.Rate)
	if err != nil {
		return err
	}
	return s.withApp(func(a *app.App) error {
		if c.Stop {
			n, err := a.Operator.StopWelcomes(s)
			if err != nil {
				return err
			}
			return s.print(c.JSON, map[string]int64{"stopped": n}, fmt.Sprintf("stopped\t%d", n))
		}
		if err := linked(a); err != nil {
			return err
		}
		found, err := a.Operator.Welcome(s, flow.Welcoming{Query: q, Pace: pace, Unproven: c.Unproven, DryRun: c.DryRun})
		if err != nil {
			return err
		}
		return c.report(s, found, pace)
	})
}

func (c userWelcomeCmd) report(s *session, found flow.Welcomed, pace time.Duration) error {
	takes := time.Duration(max(found[""]+found[flow.WelcomeQueued]-1, 0)) * pace // the first one leaves at once
	data, lines := map[string]any{"new": found[""], "takes_seconds": int(takes.Seconds())}, []string{fmt.Sprintf("new\t%d", found[""])}
	for _, why := range flow.WelcomeReasons() {
		data[strings.ReplaceAll(why, " ", "_")] = found[why]
		if found[why] > 0 {
			lines = append(lines, fmt.Sprintf("%s\t%d", why, found[why]))
		}
	}
	return s.print(c.JSON, data, append(lines, "takes about\t"+takes.Round(time.Minute).String())...)
}
