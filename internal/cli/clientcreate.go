package cli

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"portico/internal/config"
	"portico/internal/legible"
	"portico/internal/origin"
)

type clientCreateCmd struct {
	ID        string   `arg:"" help:"The client_id."`
	Redirects []string `arg:"" name:"redirect-uri" help:"An address to which users return, as the app sends it."`
	Public    bool     `help:"The app runs in a browser or on a device, and cannot keep a secret."`
}

func (clientCreateCmd) Help() string {
	return "Example:\n  portico client create wiki https://wiki.example.com/callback\n\nNothing is written: add the block to portico.toml and run 'portico reload'. The secret is printed once. 'portico client add' already knows the addresses of many apps."
}

func (c clientCreateCmd) Run(s *session) error {
	cfg, err := s.settings()
	if err != nil {
		return err
	}
	if _, taken := clientOf(cfg, c.ID); taken {
		return fmt.Errorf("%w: there is already a client %s: choose another id", errUsage, c.ID)
	}
	for i, uri := range c.Redirects {
		uri = origin.ASCII(legible.Trim(uri))
		c.Redirects[i] = uri
		if err := origin.CheckReturn(uri); err != nil {
			return fmt.Errorf("%w: %s: %w", errUsage, uri, err)
		}
	}
	p := clientPreset{redirects: c.Redirects, enter: []string{"issuer {issuer}", "client_id {id}", "client_secret {secret}"}}
	if c.Public {
		p.extra, p.enter = []string{"public = true"}, p.enter[:2]
	}
	return s.printClient(p.lines(c.ID, "", cfg.PublicURL))
}

// printClient prints the lines of a client, unless it would be refused in any settings: then its secret is in an app already.
func (s *session) printClient(lines []string) error {
	_, err := config.Parse("the new block", strings.Join(lines[:slices.Index(lines, "")], "\n"), nil)
	if problems, ok := errors.AsType[config.Problems](err); ok {
		p := problems[0]
		return fmt.Errorf("%w: %s: %s: %s", errUsage, strings.TrimPrefix(p.Key, "client.1."), p.Why, p.Write)
	}
	return s.print(false, nil, lines...)
}
