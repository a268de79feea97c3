package cli

import (
	"context"
	"errors"
	"log/slog"
	"runtime/debug"
	"time"

	"portico/internal/app"
	"portico/internal/config"
	"portico/internal/doctor"
	"portico/internal/flow"
	"portico/internal/server/admin"
)

type serveCmd struct{}

func (serveCmd) Help() string {
	return `Example:
  PORTICO_PUBLIC_URL=https://login.example.com \
  PORTICO_SMTP_URL=smtp://user:password@mail.example.com:587 \
  PORTICO_MAIL_FROM=no-reply@example.com \
  portico serve

Speaks HTTP on PORTICO_LISTEN, or HTTPS with the settings of tls. If a setting is missing or unsafe, it names the setting and does not start. It waits for a PostgreSQL server that does not answer yet.`
}

// firstAdmin prints the link to get in to an empty installation: that of the admin whom the settings
// name, or one that asks for an address. The log never has it.
func firstAdmin(s *session, a *app.App, log *slog.Logger) (err error) {
	var link, what string
	var until time.Time
	switch {
	case a.Config.FirstAdmin != "":
		what = "create the passkey or the password of " + a.Config.FirstAdmin
		link, until, err = a.Operator.FirstAdmin(s, flow.ByOperator, a.Config.FirstAdmin)
	case a.Config.Admin:
		what = "create the account of the first admin"
		link, until, err = a.Operator.FirstLink(s)
	}
	if err != nil || link == "" {
		return err
	}
	if err := s.print(false, nil, "Before "+until.Format("15:04")+" UTC, open this link to "+what+":", "   "+link); err != nil {
		log.Error("nobody reads the output, which has the link for the first admin: 'portico user create --admin' makes another one", "error", err)
	}
	return nil
}

// glance returns the quick findings of the doctor for the admin page.
func glance(ctx context.Context, cfg config.Config) (all []admin.AdminCheck) {
	for _, f := range doctor.Glance(ctx, cfg) {
		all = append(all, admin.AdminCheck{Name: f.Check, State: string(f.State), Words: f.Found, Do: f.Do})
	}
	return all
}

// Run serves until ctx ends.
func (serveCmd) Run(s *session) (err error) {
	outliveReaders()
	cfg, err := s.served()
	if err != nil {
		return err
	}
	if err := app.TryListen(s, cfg); err != nil { // before anything is made
		return err
	}
	log := s.logger(cfg.Log)
	hangup, end := hangups()
	defer end()
	a, err := app.Await(s, cfg, app.Options{
		Build: build(), Log: log, Calibrate: true, Load: s.served, Hangup: hangup, Examine: glance,
		// Starting leaves tens of megabytes of garbage: parsed migrations,
		// compressed screens. An idle process would keep them for minutes.
		Warmed: debug.FreeOSMemory,
	})
	switch {
	case err != nil && s.Err() != nil:
		log.Info("stopped", "error", err)
		return nil // stopping while waiting is not an error
	case err != nil:
		return err
	}
	defer func() { err = errors.Join(err, a.Close()) }()
	if err := a.Claim(); err != nil {
		return err
	}
	listeners, err := a.Listen(s)
	if err != nil {
		return err
	}
	a.Warn()
	log.Info("serving", "public_url", cfg.PublicURL.String(), "listen", listeners.Public.Addr().String(), "operations", listeners.Ops.Addr().String())
	if err := firstAdmin(s, a, log); err != nil {
		return err
	}
	a.Passwords.MakeRoom()
	err = a.Run(s, listeners)
	log.Info("stopped")
	return err
}

// served loads the configuration for serving. Its error lists all Problems: of
// the settings, of the installation, and of what this version supports.
func (s *session) served() (config.Config, error) {
	cfg, all, err := s.judged()
	if err == nil && len(all) > 0 {
		err = all
	}
	return cfg, err
}

// judged loads the configuration together with its Problems.
func (s *session) judged() (config.Config, config.Problems, error) {
	cfg, err := s.settings()
	var all config.Problems
	for _, err := range []error{err, cfg.CheckServe(), app.Check(cfg)} {
		problems, ok := errors.AsType[config.Problems](err)
		if err != nil && !ok {
			return cfg, nil, err
		}
		all = append(all, problems...)
	}
	all.Sort()
	return cfg, all, nil
}
