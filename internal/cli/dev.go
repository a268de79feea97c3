package cli

import (
	"portico/internal/dev"
)

type devCmd struct{}

func (devCmd) Help() string {
	return `Example:
  portico dev

Runs on one loopback port with a mailbox page that shows every email, a test identity provider, a sample app and a few test users, and prints the addresses. Data is stored in portico-data/dev. Your own settings take precedence. Not for production.`
}

// Run serves until ctx ends.
func (devCmd) Run(s *session) error {
	cfg, err := s.settings()
	if err != nil {
		return err
	}
	log := cfg.Log
	if log.Level == "info" {
		log.Level = "warn" // keep the printed addresses visible
	}
	log.Format = "text"
	return dev.Run(s, cfg, s.logger(log), s.Stdout)
}
