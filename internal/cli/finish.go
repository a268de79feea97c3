package cli

import "portico/internal/app"

type finishCmd struct {
	EndSessions bool `help:"Sign everyone out, and end personal access tokens, invitations, secrets of API keys, and trust in browsers. Otherwise those that ended after the copy was made become valid again."`
	NothingLost bool `help:"Turn nothing off: the copy has every change, because all nodes were stopped before it was made, or a standby was promoted."`
	Force       bool `help:"Proceed although the database looks as it did when it was last served. For a disk or a machine that was set back."`
	JSON        bool `name:"json" help:"Print as JSON."`
}

func (finishCmd) Help() string {
	return `Example:
  pg_restore --single-transaction --no-owner --dbname="$PORTICO_DATABASE_URL" portico-2026-05-04.dump
  portico finish-restore

Run it after pg_restore or a recovery to a point in time, before a node starts. Emails that were waiting in the copy are not sent automatically: see 'portico mail list'. Users must restart sign-ups and password resets that were in progress, and sign in again at OpenID clients. A second run does nothing. 'portico restore' does this by itself for SQLite. See docs/operating/backup.md.`
}

func (c finishCmd) Run(s *session) error {
	err := s.withApp(func(a *app.App) error {
		options := app.FinishOptions{EndSessions: c.EndSessions, NothingLost: c.NothingLost, Force: c.Force}
		done, err := a.FinishRestore(s, options, func(step string) { complain(s.Stderr, "portico:", step) })
		if err != nil {
			return err
		}
		lines := []string{"finished\tnodes may start"}
		if !done.Done {
			lines = []string{"nothing to do\tthis database was not restored since it was served last; add --force if its disk or its machine was set back"}
		}
		if done.Mails > 0 {
			lines = append(lines, "kept back\t"+counted(int(done.Mails), "email")+" that waited in the copy: see 'portico mail list'")
		}
		return s.print(c.JSON, done, lines...)
	})
	return s.stopped(err, "run it again before a node starts")
}
