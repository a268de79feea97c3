package cli

import (
	"cmp"
	"context"
	"errors"
	"os"
	"strings"

	"portico/internal/config"
	"portico/internal/dev"
	"portico/internal/store"
)

type devCmd struct {
	ProviderPort uint16 `help:"The port of the test identity provider. Default: 8091, or the next free one." placeholder:"PORT"`
}

func (devCmd) Help() string {
	return `Example:
  portico dev

Runs on one loopback port with a mailbox page that shows every email, a test identity provider, a sample app and a few test users, and prints the addresses. The tests of an app sign in here by one request (docs/integrating/testing.md). Data is stored in portico-data/dev. Your own settings take precedence. Not for production.`
}

// Run serves until ctx ends.
func (c devCmd) Run(s *session) error {
	outliveReaders()
	// A trial must not touch the installation of its machine.
	cfg, err := config.Load(config.Find(s.named, s.Environ, ""), s.Environ)
	if err != nil {
		return err
	}
	log := cfg.Log
	if log.Level == "info" {
		log.Level = "warn" // keep the printed addresses visible
	}
	log.Format = "text"
	logger := s.logger(log)
	ctx, stop := context.WithCancel(s)
	defer stop()
	asked, end := hangups()
	defer end()
	_, onTerminal := s.terminal()
	go func() {
		for range asked {
			if _, open := s.terminal(); onTerminal && !open {
				stop() // its window was closed
				return
			}
			logger.Warn("SIGHUP: portico dev reads its settings at its start only: stop it and start it again")
		}
	}()
	return dev.Run(ctx, cfg, dev.Options{ProviderPort: int(c.ProviderPort)}, logger, s.Stdout)
}

// onTrial returns the call of this command with the data of 'portico dev'. It returns ""
// for an error other than a missing database, or if this folder has no such data.
func (s *session) onTrial(err error) string {
	if !errors.Is(err, store.ErrNone) {
		return ""
	}
	if _, err := os.Stat(dev.Database); err != nil {
		return ""
	}
	words := []string{"PORTICO_DATABASE_URL=sqlite:" + dev.Database, "PORTICO_SECRET_FILE=" + dev.SecretFile, quoted(cmp.Or(s.Program, "portico"))}
	for _, arg := range s.Args {
		words = append(words, quoted(arg))
	}
	return strings.Join(words, " ")
}

// quoted returns a word as a shell reads it.
func quoted(word string) string {
	const plain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789@%+=:,./_-"
	if word != "" && strings.Trim(word, plain) == "" {
		return word
	}
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
}
