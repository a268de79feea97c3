package cli

import (
	"fmt"
	"slices"
	"strings"

	"portico/internal/app"
	"portico/internal/config"
)

type exportCmd struct {
	All      exportAllCmd      `cmd:"" default:"withargs" help:"Write everything to a file. 'portico export FILE' does the same."`
	Subjects exportSubjectsCmd `cmd:"" help:"Print what imported users were called, and what an OpenID client calls them now."`
}

type exportSubjectsCmd struct {
	Client string `required:"" help:"The id of the OpenID client." placeholder:"ID"`
}

func (exportSubjectsCmd) Help() string {
	return `Example:
  portico export subjects --client wiki > ids.tsv

Each line has the issuer of the former system, the id there, and the "sub" that the client gets from Portico, with tabs between. They are of users that were imported with --keep-subject.`
}

// Run prints the subjects page by page.
func (c exportSubjectsCmd) Run(s *session) error {
	return s.withApp(func(a *app.App) error {
		at := slices.IndexFunc(a.Config.Clients, func(k config.Client) bool { return k.ID == c.Client })
		if at < 0 {
			return fmt.Errorf("%w: the settings have no OpenID client %s", errAbsent, c.Client)
		}
		keeps := a.Config.Clients[at].Subject == "imported"
		for after := ""; ; {
			page, err := a.Operator.Imported(s, after)
			if err != nil || len(page) == 0 {
				return err
			}
			for _, i := range page {
				now := i.AccountID
				if keeps {
					now = i.Subject.Value
				}
				if err := s.print(false, nil, strings.Join([]string{i.Subject.Issuer, i.Subject.Value, now}, "\t")); err != nil {
					return err
				}
			}
			after = page[len(page)-1].AccountID
		}
	})
}
