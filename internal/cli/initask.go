package cli

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"net/netip"
	"net/url"
	"slices"
	"strings"

	"golang.org/x/net/publicsuffix"

	"portico/internal/account"
	"portico/internal/app"
	"portico/internal/config"
	"portico/internal/fault"
	"portico/internal/legible"
	"portico/internal/origin"
)

// proxies are the answers about the proxy, with the names of their files.
var proxies = map[string]string{
	"nginx": "portico.nginx.conf", "caddy": "portico.Caddyfile", "traefik": "portico.traefik.yml",
	"haproxy": "portico.haproxy.cfg", "apache": "portico.apache.conf", "none": "",
}

// answers are the answers of `portico init`, checked.
type answers struct {
	PublicURL, SMTPURL, MailFrom, Admin, Proxy, SignUp string
}

// signUpModes are the answers about sign-up, with the values of signup.mode.
var signUpModes = map[string]string{"yes": "open", "y": "open", "no": "closed", "n": "closed"}

// question is one question. Its check returns the reason why an answer is wrong.
type question struct {
	to    *string
	given string // by a flag
	flag  string
	text  string
	usual func() string // the answer for an empty line
	check func(string) error
}

// ask returns the answers of the flags, and asks for the others. A wrong flag is
// an error; a wrong answer is asked for again.
func (c initCmd) ask(s *session) (answers, error) {
	var a answers
	lines := bufio.NewReader(io.LimitReader(s.Stdin, 64<<10))
	none := func() string { return "" }
	for _, q := range []question{
		{&a.PublicURL, c.PublicURL, "--public-url", "Which address do browsers use? (https://login.example.com)", none, setting("PORTICO_PUBLIC_URL")},
		{&a.SMTPURL, c.SMTPURL, "--smtp-url", "Which mail server sends your emails? (smtp://user:password@mail.example.com:587)", none, setting("PORTICO_SMTP_URL")},
		{&a.MailFrom, c.MailFrom, "--mail-from", "Who sends them?", func() string { return a.sender() }, setting("PORTICO_MAIL_FROM")},
		{&a.Admin, c.Admin, "--admin", "What is your own email address? It gets the first account.", none, checkAddress},
		{&a.Proxy, c.Proxy, "--proxy", "Which proxy is in front? (nginx, caddy, traefik, haproxy, apache, none)", func() string { return "none" }, checkProxy},
		{&a.SignUp, c.SignUp, "--sign-up", "May anybody sign up? If not, you create the accounts. (yes, no)", func() string { return "no" }, checkSignUp},
	} {
		if err := s.answer(q, lines); err != nil {
			return answers{}, err
		}
	}
	a.PublicURL = origin.ASCII(a.PublicURL) // proxies and browsers know no umlauts
	a.Proxy, a.SignUp = strings.ToLower(a.Proxy), strings.ToLower(a.SignUp)
	return a, nil
}

// answer takes the flag of a question, or asks until the answer is right. If the input ends
// before the question, the usual answer counts.
func (s *session) answer(q question, lines *bufio.Reader) error {
	if q.given = legible.Trim(q.given); q.given != "" {
		if err := q.check(q.given); err != nil {
			return fmt.Errorf("%w: %s: %w", errUsage, q.flag, err)
		}
		*q.to = q.given
		return nil
	}
	for first := true; ; first = false {
		text := q.text
		if usual := q.usual(); usual != "" {
			text += " [" + usual + "]"
		}
		fmt.Fprintln(s.Stderr, text)
		fmt.Fprint(s.Stderr, "> ")
		line, err := lines.ReadString('\n')
		line = legible.Trim(line)
		if errors.Is(err, io.EOF) && line == "" && (q.usual() == "" || !first) {
			fmt.Fprintln(s.Stderr)
			return fmt.Errorf("%w: standard input ended before this question: give %s", errUsage, q.flag)
		}
		if err != nil && !errors.Is(err, io.EOF) {
			fmt.Fprintln(s.Stderr)
			return fmt.Errorf("read the answer: %w", err)
		}
		if line == "" {
			line = q.usual()
		}
		wrong := q.check(line)
		if wrong == nil {
			*q.to = line
			return nil
		}
		complain(s.Stderr, wrong)
	}
}

// sender returns the usual sender for the public URL: at its registered domain, "" if its
// host has none.
func (a answers) sender() string {
	u, err := url.Parse(origin.ASCII(a.PublicURL))
	if err != nil {
		return ""
	}
	if _, err := netip.ParseAddr(u.Hostname()); err == nil {
		return ""
	}
	domain, err := publicsuffix.EffectiveTLDPlusOne(u.Hostname())
	if err != nil {
		return ""
	}
	return "no-reply@" + domain
}

// setting returns the check of a setting, by its variable.
func setting(variable string) func(string) error {
	return func(value string) error {
		if value == "" {
			return errors.New("write an answer")
		}
		err := app.CheckValue(variable, value)
		if problems, ok := errors.AsType[config.Problems](err); ok {
			return errors.New(problems[0].Why + ": " + problems[0].Write)
		}
		return err
	}
}

func checkAddress(value string) error {
	if _, bad := account.ParseAddress(value, "email"); bad != nil {
		return errors.New(strings.Join(faultLines(fault.InvalidFields(*bad)), "; "))
	}
	return nil
}

func checkSignUp(value string) error {
	if _, known := signUpModes[strings.ToLower(value)]; !known {
		return fmt.Errorf("%q is not an answer: write yes or no", value)
	}
	return nil
}

func checkProxy(value string) error {
	if _, known := proxies[strings.ToLower(value)]; !known {
		names := []string{"nginx", "caddy", "traefik", "haproxy", "apache"}
		slices.Sort(names)
		return fmt.Errorf("%q is not a proxy that this command supports: %s, or none", value, config.OneFrom(value, names))
	}
	return nil
}
