package cli

import (
	"errors"
	"fmt"

	"portico/internal/app"
	"portico/internal/store"
)

type migrateCmd struct {
	Status bool `help:"Only list the migrations and whether they have been applied."`
	JSON   bool `name:"json" help:"Print as JSON."`
}

func (migrateCmd) Help() string { return "Example:\n  portico migrate --status" }

func (c migrateCmd) Run(s *session) error {
	err := s.withStore(false, func(db *store.Store) error {
		if c.Status {
			list, err := db.Migrations(s)
			if err != nil {
				return err
			}
			lines := make([]string, 0, len(list))
			for _, m := range list {
				state := "waiting"
				if m.Applied {
					state = "applied"
				}
				lines = append(lines, state+"\t"+m.File)
			}
			return s.print(c.JSON, list, lines...)
		}
		applied, err := db.Migrate(s)
		if err != nil {
			return err
		}
		if len(applied) == 0 && !c.JSON {
			return s.print(false, nil, "the schema is up to date")
		}
		return s.print(c.JSON, applied, "applied "+counted(len(applied), "migration"))
	})
	return s.stopped(err, "run it again, and 'portico migrate --status' shows what has been applied")
}

type backupCmd struct {
	File string `arg:"" help:"The backup file. It must not exist yet." type:"path"`
}

func (backupCmd) Help() string {
	return `Example:
  portico backup /backup/portico-$(date +%F).db

Also keep the key file (PORTICO_SECRET_FILE), in a different place. A backup is useless without it. To restore, use 'portico restore'.

For PostgreSQL, use pg_dump: see docs/operating/backup.md.`
}

func (c backupCmd) Run(s *session) error {
	err := s.withStore(true, func(db *store.Store) error {
		if err := db.Backup(s, c.File); err != nil {
			return err
		}
		return s.print(false, nil, c.File)
	})
	return s.stopped(err, "no file was made")
}

type restoreCmd struct {
	File        string `arg:"" help:"A file that 'portico backup' created." type:"path"`
	Replace     bool   `help:"Replace an existing database. Its files are kept next to it."`
	EndSessions bool   `help:"Sign everyone out, and end personal access tokens, invitations, secrets of API keys, and trust in browsers. Otherwise those that ended after the backup become valid again."`
	JSON        bool   `name:"json" help:"Print as JSON."`
}

func (restoreCmd) Help() string {
	return `Example:
  portico restore /backup/portico-2026-05-04.db

First stop the server, and put the key file that belongs to the backup at PORTICO_SECRET_FILE. The whole backup is checked before anything changes. Emails that were waiting in it are not sent automatically: see 'portico mail list'. Users must restart sign-ups and password resets that were in progress.`
}

func (c restoreCmd) Run(s *session) error {
	cfg, err := s.settings()
	if err != nil {
		return err
	}
	done, err := app.Restore(s, cfg, c.File, app.RestoreOptions{Replace: c.Replace, EndSessions: c.EndSessions})
	if err != nil {
		return s.stopped(err, "nothing was restored")
	}
	lines := []string{"restored\t" + c.File}
	if done.Mails > 0 {
		lines = append(lines, "kept back\t"+counted(int(done.Mails), "email")+" that waited in the backup: see 'portico mail list'")
	}
	if done.Kept != "" {
		lines = append(lines, "kept\t"+done.Kept)
	}
	return s.print(c.JSON, map[string]any{"kept": done.Kept, "mails": done.Mails}, lines...)
}

// counted returns a count with its noun, such as "2 sessions".
func counted(n int, thing string) string {
	if n != 1 {
		thing += "s"
	}
	return fmt.Sprintf("%d %s", n, thing)
}

// withStore runs fn with the database only. It needs no key file.
func (s *session) withStore(mustExist bool, fn func(*store.Store) error) error {
	cfg, err := s.settings()
	if err != nil {
		return err
	}
	db, err := store.Open(s, store.Config{URL: cfg.DatabaseURL, MustExist: mustExist})
	if err != nil {
		return err
	}
	return errors.Join(fn(db), db.Close())
}
