package cli

import (
	"strings"

	"portico/internal/app"
	"portico/internal/config"
	"portico/internal/doctor"
	"portico/internal/secret"
)

type configCmd struct {
	Check  configCheckCmd  `cmd:"" help:"Check the settings for portico serve."`
	Show   configShowCmd   `cmd:"" help:"Show every setting and where it comes from. Hides secrets."`
	Doc    configDocCmd    `cmd:"" help:"Print a reference of all settings, in Markdown."`
	NewKey configNewKeyCmd `cmd:"" help:"Create the master key file, for several nodes."`
}

type configCheckCmd struct{}

func (configCheckCmd) Help() string {
	return `Example:
  portico config check && portico serve

Needs no database. If the database answers within a few seconds, it also says how many passkeys do not work, because they were made for another host than public_url.`
}

func (configCheckCmd) Run(s *session) error {
	cfg, err := s.served()
	if err != nil {
		return err
	}
	for _, p := range app.Warnings(cfg) {
		complain(s.Stderr, "portico: warning:", p)
	}
	for _, f := range doctor.LostPasskeys(s, cfg) {
		complain(s.Stderr, "portico: warning: public_url:", f.Found+": "+f.Do)
	}
	return s.print(false, nil, "the configuration is complete")
}

type configShowCmd struct {
	JSON bool `name:"json" help:"Print as JSON."`
}

func (configShowCmd) Help() string { return "Example:\n  portico config show" }

func (c configShowCmd) Run(s *session) error {
	cfg, err := s.settings()
	if err != nil {
		return err
	}
	return s.print(c.JSON, cfg.Entries(), strings.Split(strings.TrimSuffix(cfg.Show(), "\n"), "\n")...)
}

type configDocCmd struct{}

func (configDocCmd) Help() string { return "Example:\n  portico config doc > settings.md" }

func (configDocCmd) Run(s *session) error {
	return s.print(false, nil, strings.Split(strings.TrimSuffix(config.Document(), "\n"), "\n")...)
}

type configNewKeyCmd struct{}

func (configNewKeyCmd) Help() string {
	return "Example:\n  PORTICO_SECRET_FILE=/var/lib/portico/secret.key portico config new-key"
}

// Run creates the key file. It never replaces an existing one.
func (configNewKeyCmd) Run(s *session) error {
	cfg, err := s.settings()
	if err != nil {
		return err
	}
	if _, err := secret.CreateKey(cfg.SecretFile); err != nil {
		return err
	}
	return s.print(false, nil, cfg.SecretFile)
}
