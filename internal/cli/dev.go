package cli

import (
	"portico/internal/dev"
)

type devCmd struct{}

// Help shows an example.
func (devCmd) Help() string {
	return `Example:
  portico dev

It serves on one loopback port, with a mailbox page that shows the real mail, a stand-in identity provider, a sample app and a few people, and prints the addresses. Its data is in portico-data/dev; what the configuration sets is used instead. Never for real use.`
}

// Run serves until the process is told to stop.
func (devCmd) Run(s *session) error {
	cfg, err := s.settings()
	if err != nil {
		return err
	}
	log := cfg.Log
	if log.Level == "info" {
		log.Level = "warn" // the addresses shall stay on the screen
	}
	log.Format = "text"
	return dev.Run(s, cfg, s.logger(log), s.Stdout)
}
