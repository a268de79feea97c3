package cli

import (
	"errors"
	"path/filepath"
	"strings"
	"time"

	"portico/internal/app"
	"portico/internal/config"
	"portico/internal/flow"
)

type initCmd struct {
	PublicURL string `help:"The address that browsers use." placeholder:"URL" name:"public-url"`
	SMTPURL   string `help:"Your mail server. Without this flag it is read from standard input, which keeps its password from other users of the machine." placeholder:"URL" name:"smtp-url"`
	MailFrom  string `help:"The sender of emails." placeholder:"ADDRESS"`
	Admin     string `help:"The email address of the first account. It gets the roles admin and portico:admin." placeholder:"ADDRESS"`
	SignUp    string `help:"Whether anybody may sign up, yes or no. The default is no." placeholder:"YES|NO"`
	Proxy     string `help:"The proxy in front, on this machine: nginx, caddy, traefik, haproxy, apache or none." placeholder:"NAME"`
}

func (initCmd) Help() string {
	return `Example:
  portico init
  portico init --public-url https://login.example.com --mail-from no-reply@example.com --admin mara@example.com --sign-up no --proxy caddy < smtp-url.txt

Asks only the questions that no flag answers. Fills in the settings, writes a file for the proxy, creates the database, and prints a link with which the first user creates a passkey or chooses a password.

With the Debian package, run it as root: it fills in /etc/portico/portico.toml, and its data in /var/lib/portico belongs to the service. Without the package, it writes portico.toml and portico-data in the current folder, or the file that --config or PORTICO_CONFIG names. It never replaces a setting or a database.`
}

// Run asks, writes the files and makes the first account.
func (c initCmd) Run(s *session) error {
	p, err := s.begins()
	if err != nil {
		return err
	}
	a, err := c.ask(s)
	if err != nil {
		return err
	}
	if p, err = s.begins(); err != nil { // somebody else may have begun during the questions
		return err
	}
	made, err := a.write(p)
	if err != nil {
		return err
	}
	link, until, err := c.begin(s, p.settings, a)
	if err != nil {
		return errors.Join(err, p.withdraw(append(made, p.absent...)))
	}
	return s.print(false, nil, a.next(s, p, link, until)...)
}

// begin makes the database and the first account, and returns its link.
func (c initCmd) begin(s *session, settings string, a answers) (link string, until time.Time, err error) {
	from := *s
	from.configFile = settings
	cfg, err := from.served()
	if err != nil {
		return "", time.Time{}, err
	}
	opened, err := app.New(s, cfg, app.Options{})
	if err != nil {
		return "", time.Time{}, err
	}
	defer func() { err = errors.Join(err, opened.Close()) }()
	u, err := opened.Operator.CreateUser(s, flow.ByOperator, a.Admin, "", "", "admin", flow.RoleAdmin)
	if err != nil {
		return "", time.Time{}, err
	}
	return opened.Operator.AccountLink(s, flow.ByOperator, u)
}

// next returns what was made, and the next steps.
func (a answers) next(s *session, p place, link string, until time.Time) []string {
	lines := append([]string{p.settings + "\tthe settings, with the password of the mail server: keep the file private"}, p.told()...)
	start := "portico serve"
	switch {
	case p.settings == s.Settings:
		start = "the service: systemctl enable --now portico"
	case config.Find("", s.Environ, s.Settings) != p.settings:
		start = "portico --config=" + p.settings + " serve"
	}
	if a.Proxy != "none" {
		lines = append(lines, filepath.Join(filepath.Dir(p.settings), a.snippet())+"\tfor the proxy: its first line says where it belongs")
		start += ", and then the proxy"
	} else if host, https := strings.CutPrefix(a.PublicURL, "https://"); https {
		lines = append(lines, "Portico will listen at "+config.Default().Listen+" without TLS. What terminates TLS for "+host+" and passes requests on to it? "+
			"A proxy, or Portico itself with tls.acme = true (docs/operating/serving.md).")
	}
	return append(lines,
		"", "1. Start "+start+".",
		"2. Before "+until.Format("15:04")+" UTC, open this link to create the passkey or the password of "+a.Admin+":", "   "+link,
		"   Later, 'portico user link "+a.Admin+"' prints another one.",
		"3. Run 'portico doctor'. It checks the whole installation.")
}

// userLinkCmd prints a link for a new passkey or password.
type userLinkCmd struct {
	Email string `arg:"" help:"The email address of the account."`
	JSON  bool   `name:"json" help:"Print as JSON."`
}

func (userLinkCmd) Help() string {
	return "Example:\n  portico user link mara@example.com\n\nThe link works once, in any browser, for 15 minutes. It leads only to a new passkey or password. Using it ends the former password and all sessions, and signs in the person who opened it. An account that has a second factor or a passkey can only get a new password, and must give the factor afterwards. Hand the link over privately. The user gets an email about it."
}

func (c userLinkCmd) Run(s *session) error {
	return s.withApp(func(a *app.App) error {
		if err := linked(a); err != nil {
			return err
		}
		u, err := a.Operator.User(s, c.Email)
		if err != nil {
			return err
		}
		link, until, err := a.Operator.AccountLink(s, flow.ByOperator, u)
		if err != nil {
			return err
		}
		return s.print(c.JSON, map[string]string{"link": link, "expires_at": until.UTC().Format(timeForm)}, link)
	})
}
