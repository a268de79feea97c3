package cli

import (
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"portico/internal/account"
	"portico/internal/app"
	"portico/internal/file"
	"portico/internal/flow"
)

type userInviteCmd struct {
	Addresses []string `arg:"" optional:"" name:"address" help:"The addresses to invite."`
	File      string   `help:"Read the addresses from a file, a list or CSV. A hyphen stands for standard input." placeholder:"FILE"`
	Role      []string `help:"A role that the accounts get. Can be repeated." placeholder:"NAME" sep:"none"`
	End       string   `help:"When the accounts close by themselves: a day or a time, as for set-end." placeholder:"TIME"`
	Text      string   `help:"A text of yours in the email, of up to 500 characters."`
	DryRun    bool     `help:"Only judge the addresses, and send nothing."`
	Link      bool     `help:"Print a link for many people instead, and send no email."`
	Uses      int64    `help:"How many accounts the link can make." placeholder:"COUNT" default:"1"`
	For       string   `help:"How long the link works, such as 48h." placeholder:"DURATION" default:"168h"`
	JSON      bool     `name:"json" help:"Print each address with its verdict as JSON."`
}

func (userInviteCmd) Help() string {
	return "Example:\n  portico user invite mara@example.com --role editor\n  portico user invite --file team.csv --dry-run\n  portico user invite --link --uses 30 --for 24h\n\n" +
		"Each line is judged: ok, malformed, exists, invited, twice or domain. The exit code is 1 if a line is malformed or of a domain that may not sign up; the others are invited. " +
		"Lines are unsent if the database fails on the way: run the command again. " +
		"An invitation works for seven days and once. Whoever has the link for many can sign up, with any address that they prove."
}

// verdict is an address in the output.
type verdict struct {
	Line    int    `json:"line"`
	Address string `json:"address"`
	Verdict string `json:"verdict"`
}

func (v verdict) String() string { return v.Address + "\t" + v.Verdict }

func (c userInviteCmd) Run(s *session) error {
	end, err := endIfGiven(c.End)
	if err != nil {
		return err
	}
	d := flow.Draft{Roles: c.Role, AccountEnds: end, Words: c.Text, Uses: c.Uses}
	list, err := c.list(s)
	if err != nil {
		return err
	}
	switch {
	case (list == "") != c.Link:
		return fmt.Errorf("%w: name addresses or a file, or make a link for many with --link", errUsage)
	case c.Link && (c.DryRun || c.Text != ""):
		return fmt.Errorf("%w: --dry-run and --text are for emails, and --link sends none", errUsage)
	case !c.Link && (c.Uses != 1 || c.For != "168h"):
		return fmt.Errorf("%w: --uses and --for are for --link: an invitation by email works for seven days and once", errUsage)
	}
	life, err := time.ParseDuration(c.For)
	if err != nil {
		return fmt.Errorf("%w: --for is a duration, such as 48h", errUsage)
	}
	return closed(s.withApp(func(a *app.App) error {
		if err := linked(a); err != nil {
			return err
		}
		if c.Link {
			d.EndsAt = time.Now().Add(life)
			link, err := a.Operator.InviteMany(s, flow.ByOperator, d)
			if err != nil {
				return err
			}
			return s.print(c.JSON, map[string]string{"link": link}, link)
		}
		judge := func() ([]flow.JudgedLine, error) { return a.Operator.Invite(s, flow.ByOperator, list, d) }
		if c.DryRun {
			judge = func() ([]flow.JudgedLine, error) { return a.Operator.TryInvite(s, flow.ByOperator, list, d) }
		}
		judged, err := judge()
		if err != nil {
			return err
		}
		return c.report(s, judged)
	}))
}

// closed says to an operator what visitors are told in other words.
func closed(err error) error {
	if errors.Is(err, flow.SignUpClosed) {
		return errors.New(`signup.mode = "closed" admits nobody, also with an invitation: write "invited", "approved" or "open"`)
	}
	return err
}

// list returns the addresses of the arguments and of the file, one a line.
func (c userInviteCmd) list(s *session) (string, error) {
	lines := c.Addresses
	if c.File != "" {
		text, err := s.read(c.File)
		if err != nil {
			return "", err
		}
		lines = append(lines, text)
	}
	return strings.Join(lines, "\n"), nil
}

// read returns the text of a file, or of standard input for a hyphen.
func (s *session) read(name string) (string, error) {
	const most = 1 << 20
	if name != "-" {
		text, err := file.Text(name, most)
		return string(text), file.Plain(err)
	}
	text, err := io.ReadAll(io.LimitReader(s.Stdin, most))
	return string(text), err
}

func (c userInviteCmd) report(s *session, judged []flow.JudgedLine) error {
	wrong, unsent := 0, 0
	for _, l := range judged {
		switch l.Verdict {
		case flow.Malformed, flow.Outside:
			wrong++
		case flow.Unsent:
			unsent++
		}
	}
	err := list(s, c.JSON, judged, func(l flow.JudgedLine) verdict { return verdict{l.Number, l.Address, string(l.Verdict)} })
	switch {
	case err != nil:
	case unsent > 0:
		err = fmt.Errorf("%d of %d invitations could not be sent: run the command again", unsent, len(judged))
	case wrong > 0:
		err = fmt.Errorf("%d of %d addresses are wrong, and got no invitation", wrong, len(judged))
	}
	return err
}

type userApproveCmd struct {
	Email string `arg:"" help:"The email address of the account."`
}

func (userApproveCmd) Help() string {
	return "Example:\n  portico user list --state waiting\n  portico user approve mara@example.com"
}

func (c userApproveCmd) Run(s *session) error {
	return s.withUser(c.Email, func(a *app.App, u account.Account) error {
		return a.Operator.ApproveUser(s, flow.ByOperator, u.ID)
	})
}

type userRefuseCmd struct {
	Email string `arg:"" help:"The email address of the account."`
}

func (userRefuseCmd) Help() string { return "Example:\n  portico user refuse mara@example.com" }

func (c userRefuseCmd) Run(s *session) error {
	return s.withUser(c.Email, func(a *app.App, u account.Account) error {
		return a.Operator.RefuseUser(s, flow.ByOperator, u.ID)
	})
}
