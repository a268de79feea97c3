package app

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"time"

	"portico/internal/brand"
	"portico/internal/code"
	"portico/internal/flow"
	"portico/internal/mailer"
	"portico/internal/server"
	"portico/internal/server/api"
	"portico/internal/server/form"
	"portico/internal/server/gateway"
	"portico/internal/server/issuer"
	"portico/internal/server/ops"
	"portico/internal/server/provider"
	"portico/internal/server/screens"
	"portico/internal/store"
	"portico/internal/telemetry/metric"
	"portico/internal/useragent"
	"portico/web"
)

// The handler of the public listener, with the parts that Run and the
// metrics need.
type handlers struct {
	handler *server.Mux
	screens *screens.Screens
	gateway *gateway.Gateway
	reports *server.Reports
}

// public builds the handlers of the public listener. before is what they
// replace.
func (a *App) public(l *live, before handlers) (handlers, error) {
	public := publicURL(l.config)
	mux := server.NewMux(server.Config{
		PublicURL: public, AppHosts: appHosts(l.config), AsSent: asSentHosts(l.config), AskPath: gateway.CheckPath, TrustedProxies: l.config.TrustedProxies, HSTSSubdomains: l.config.HSTSSubdomains,
		Catalogue: l.catalogue, Log: a.log, Spans: a.spans, Before: before.handler,
	})
	actions := form.NewActions(l.flows, l.catalogue, a.clock, public)
	pages, err := a.screens(l, actions, l.theme)
	if err != nil {
		return handlers{}, err
	}
	apps, err := a.gateway(l.config, actions, before.gateway)
	if err != nil {
		return handlers{}, err
	}
	reports := before.reports
	if reports == nil {
		reports = server.NewReports()
	}
	mux.Mount(
		pages,
		api.New(actions, l.sessions, useragent.Describe, l.places.Of),
		reports,
		apps,
		provider.New(provider.Config{Actions: actions, Screens: pages}),
		issuer.New(issuer.Config{Actions: actions, Screens: pages, Clients: l.clients, Refusals: a.refusals, Keys: a.Keys, Clock: a.clock, Public: public, Documents: l.config.OpenID.ClientDocuments, Registers: l.config.OpenID.Registration}),
	)
	mux.Mount(a.options.Routes...)
	return handlers{mux, pages, apps, reports}, nil
}

func (a *App) screens(l *live, actions *form.Actions, look *brand.Theme) (*screens.Screens, error) {
	cfg := screens.Config{
		Actions: actions, Catalogue: l.catalogue, Dist: a.options.Dist, Root: !atRoot(l.config),
		SignUp:    flow.SignUpMode(l.config.SignUp.Mode),
		ByCode:    l.config.SignIn.Code,
		Passkeys:  l.flows.PasskeysOn(),
		Trust:     l.flows.Trusts(),
		Related:   l.config.PasskeyOrigins,
		Names:     flow.NameRule(l.config.SignUp.Name),
		Brand:     screens.Brand{Name: l.config.Brand.Name},
		Legal:     screens.Legal{Imprint: l.config.Legal.Imprint, Privacy: l.config.Legal.Privacy, Terms: l.config.Legal.Terms, Version: l.config.Legal.TermsVersion},
		Theme:     look,
		Describe:  useragent.Describe,
		Place:     l.places.Of,
		Sender:    sender(l.config.MailFrom),
		Providers: []screens.Provider{},
		Settings: screens.Settings{
			PasswordMin: l.passwords.Policy().Min, PasswordMax: l.passwords.Policy().Max, CodeLength: code.Length,
			CodeMinutes: int(flow.CodeLife / time.Minute),
		},
	}
	if cfg.Dist == nil {
		cfg.Dist = web.Dist
	}
	for _, p := range l.providers.List() {
		shown := screens.Provider{ID: p.ID, Name: p.Name, Icon: p.Icon}
		if picture := l.pictures[p.ID]; picture != nil {
			shown.Icon, shown.Picture = "", picture.Path
			cfg.Pictures = append(cfg.Pictures, picture)
		}
		cfg.Providers = append(cfg.Providers, shown)
	}
	return screens.New(cfg)
}

// sender returns the address of a mailbox, with or without a display name.
func sender(from string) string {
	parsed, err := mailer.ParseMailbox(from)
	if err != nil {
		return ""
	}
	return parsed.Address
}

// operations returns the handler of the operations listener. /readyz fails once
// serving ends.
func (a *App) operations(serving context.Context) http.Handler {
	machine, _ := os.Hostname() // "" matches no request
	return ops.New(ops.Config{
		Stopping: func() bool { return serving.Err() != nil },
		Ping:     a.ping,
		Metrics:  metric.Handler(a.figures),
		Reload:   ops.Reload{Do: a.Reload, Refusals: a.refusals.Of, Proof: a.key.MAC(ops.ReloadPurpose), Clock: a.clock.machine},
		Public:   publicURL(a.Config).Host,
		Names:    []string{a.Config.OpsListen, machine},
	})
}

// ping checks the database and translates the error for package ops.
func (a *App) ping(ctx context.Context) error {
	err := a.Store.Ping(ctx)
	if errors.Is(err, store.ErrReadOnly) {
		return fmt.Errorf("%w: %w", ops.ErrReadOnly, err)
	}
	return err
}
