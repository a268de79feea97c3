package cli

import (
	"fmt"

	"portico/internal/app"
	"portico/internal/flow"
)

type clientDeleteCmd struct {
	ID   string `arg:"" help:"The id of the client. For an unknown app, its address."`
	Yes  bool   `help:"Confirm. This cannot be undone."`
	JSON bool   `name:"json" help:"Print as JSON."`
}

func (clientDeleteCmd) Help() string {
	return `Example:
  portico client delete wiki --yes

To delete a client of the settings, remove its block and run 'portico reload'. Then this command ends its tokens permanently: none works again even if another client gets the same id. Users are asked again. An unknown app may ask again too, if the settings below openid allow it. A client that has registered itself is deleted.

If the id is unknown, the exit code is 3. A script that repeats the command can treat that as success.`
}

// clientEnded is what the command has ended.
type clientEnded struct {
	ID         string `json:"id"`
	Registered bool   `json:"registered"` // it had registered itself, and is deleted
	Users      int    `json:"users"`
	Grants     int    `json:"grants"`
	Consents   int    `json:"consents"`
}

func (c clientDeleteCmd) Run(s *session) error {
	cfg, err := s.settings()
	if err != nil {
		return err
	}
	client, known := clientOf(cfg, c.ID)
	switch {
	case known:
		return fmt.Errorf("%w: the client %s is in %s: remove its block there and run 'portico reload', then run this command again", errUsage, c.ID, cfg.Source(client.Key+".id"))
	case !c.Yes:
		return fmt.Errorf("%w: this ends all tokens and consents of the client permanently: add --yes to confirm", errUsage)
	}
	return s.withApp(func(a *app.App) error {
		registered, err := a.Operator.DeleteRegistered(s, flow.ByOperator, c.ID)
		if err != nil {
			return err
		}
		use, err := a.Operator.ForgetClient(s, flow.ByOperator, c.ID)
		if err != nil {
			return err
		}
		if !registered && use.Users == 0 {
			return fmt.Errorf("%w: no client %s has registered itself, and no user has given a client of this id anything", errAbsent, c.ID)
		}
		lines := []string{endedLine(use)}
		if registered {
			lines = append([]string{"deleted\t" + c.ID}, lines...)
		}
		return s.print(c.JSON, clientEnded{c.ID, registered, use.Users, use.Grants, use.Consents}, lines...)
	})
}

func endedLine(use flow.ClientUse) string {
	return fmt.Sprintf("ended\t%s\t%s\t%s", counted(use.Users, "user"), counted(use.Grants, "grant"), counted(use.Consents, "consent"))
}
