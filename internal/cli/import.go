package cli

import (
	"fmt"

	"portico/internal/app"
	"portico/internal/dev"
	"portico/internal/file"
	"portico/internal/store/archive"
)

type importCmd struct {
	File        string `arg:"" help:"A file that 'portico export' wrote." type:"path"`
	Identity    string `help:"The file with the private key of age, for a sealed archive." placeholder:"FILE" type:"path"`
	EndSessions bool   `help:"Sign everyone out, and end personal access tokens, invitations, secrets of API keys, and trust in browsers. Otherwise those that ended after the export become valid again."`
	NothingLost bool   `help:"Turn nothing off: the archive has every change, because the server was stopped before the export and stays stopped."`
	JSON        bool   `name:"json" help:"Print the summary as JSON."`
}

func (importCmd) Help() string {
	return `Example:
  portico import portico.archive --identity archive.key

PORTICO_DATABASE_URL names an empty database, SQLite or PostgreSQL, which no server uses yet. Everything is imported or nothing, so an import that was interrupted is simply started again. Emails that were waiting in the archive are not sent automatically: see 'portico mail list'. Users must restart sign-ups and password resets that were in progress, and sign in again at OpenID clients. Only import an archive that you trust: whoever made it decides who is an admin.

See docs/operating/archives.md.`
}

func (c importCmd) Run(s *session) error {
	outliveReaders()
	cfg, err := s.settings()
	if err != nil {
		return err
	}
	if cfg.PublicURL == nil {
		cfg.PublicURL = dev.PublicURL(cfg.DatabaseURL)
	}
	in, info, err := file.Open(c.File)
	if err != nil {
		return fmt.Errorf("the archive %w: name a file that 'portico export' made and this user can read", file.Plain(err))
	}
	defer in.Close()
	count := &counting{Reader: in}
	clear, err := archive.Open(count, c.Identity)
	if err != nil {
		return err
	}
	from, err := archive.Begin(clear)
	if err != nil {
		return fmt.Errorf("%s: %w", c.File, err)
	}
	m := s.meter("imported", count, info.Size())
	defer m.clear()
	done, err := app.Import(s, cfg, from, app.ImportOptions{
		EndSessions: c.EndSessions, NothingLost: c.NothingLost,
		Tell: func(step string) { complain(s.Stderr, "portico:", step) }, Report: m.show,
	})
	if err != nil {
		return err
	}
	m.clear()
	lines := archiveLines(done.Result, "imported")
	if done.Mails > 0 {
		lines = append(lines, "kept back\t"+counted(int(done.Mails), "email")+" that waited in the archive: see 'portico mail list'")
	}
	return s.print(c.JSON, done, append(lines, "next\tstart the server")...)
}
