package app

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/mail"
	"time"

	"portico/internal/brand"
	"portico/internal/code"
	"portico/internal/flow"
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

// public builds the handler of the public listener.
func (a *App) public() (handlers, error) {
	public := a.publicURL()
	mux := server.NewMux(server.Config{
		PublicURL: public, AppHosts: a.appHosts(), AskPath: gateway.CheckPath, TrustedProxies: a.Config.TrustedProxies, HSTSSubdomains: a.Config.HSTSSubdomains,
		Catalogue: a.catalogue, Log: a.log, Spans: a.spans,
	})
	actions := form.NewActions(a.Flows, a.catalogue, a.clock, public)
	pages, err := a.screens(actions, a.theme)
	if err != nil {
		return handlers{}, err
	}
	gate, err := a.gateway(actions)
	if err != nil {
		return handlers{}, err
	}
	reports := server.NewReports()
	mux.Mount(
		pages,
		api.New(actions, a.Sessions, useragent.Describe),
		reports,
		gate,
		provider.New(provider.Config{Actions: actions, Screens: pages}),
		issuer.New(issuer.Config{Actions: actions, Clients: a.clients, Keys: a.Keys, Clock: a.clock, Public: public}),
	)
	mux.Mount(a.options.Routes...)
	return handlers{mux, pages, gate, reports}, nil
}

func (a *App) screens(actions *form.Actions, look *brand.Theme) (*screens.Screens, error) {
	cfg := screens.Config{
		Actions: actions, Catalogue: a.catalogue, Dist: a.options.Dist, Root: !a.atRoot(), FormActions: a.clients.FormActions(),
		SignUp:    a.Config.SignUp.Enabled,
		Names:     flow.NameRule(a.Config.SignUp.Name),
		Brand:     screens.Brand{Name: a.Config.Brand.Name},
		Legal:     screens.Legal{Imprint: a.Config.Legal.Imprint, Privacy: a.Config.Legal.Privacy},
		Theme:     look,
		Describe:  useragent.Describe,
		Sender:    sender(a.Config.MailFrom),
		Providers: []screens.Provider{},
		Policy: screens.Policy{
			PasswordMin: a.Passwords.Policy().Min, PasswordMax: a.Passwords.Policy().Max, CodeLength: code.Length,
			CodeMinutes: int(flow.CodeLife / time.Minute),
		},
	}
	if cfg.Dist == nil {
		cfg.Dist = web.Dist
	}
	for _, p := range a.providers.List() {
		shown := screens.Provider{ID: p.ID, Name: p.Name, Icon: p.Icon}
		if picture := a.pictures[p.ID]; picture != nil {
			shown.Icon, shown.Picture = "", picture.Path
			cfg.Pictures = append(cfg.Pictures, picture)
		}
		cfg.Providers = append(cfg.Providers, shown)
	}
	return screens.New(cfg)
}

// sender returns the address of a mailbox, with or without a display name.
func sender(from string) string {
	parsed, err := mail.ParseAddress(from)
	if err != nil {
		return ""
	}
	return parsed.Address
}

// operations returns the handler of the operations listener. /readyz fails once
// serving ends.
func (a *App) operations(serving context.Context, public handlers) http.Handler {
	return ops.New(ops.Config{
		Stopping: func() bool { return serving.Err() != nil },
		Ping:     a.ping,
		Metrics:  metric.Handler(func(ctx context.Context) metric.Figures { return a.figures(ctx, public) }),
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
