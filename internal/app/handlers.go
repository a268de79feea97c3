package app

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"net/netip"
	"os"
	"slices"
	"time"

	"portico"
	"portico/internal/brand"
	"portico/internal/code"
	"portico/internal/config"
	"portico/internal/flow"
	"portico/internal/mailer"
	"portico/internal/passkey"
	"portico/internal/server"
	"portico/internal/server/admin"
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
		PublicURL: public, AppHosts: appHosts(l.config), AsSent: asSentHosts(l.config), AskPath: gateway.CheckPath,
		TrustedProxies: l.config.TrustedProxies, HSTSSubdomains: l.config.HSTSSubdomains,
		Catalogue: l.catalogue, Log: a.log, Spans: a.spans, Before: before.handler,
	})
	actions := form.NewActions(l.Flows, l.Owner, l.catalogue, a.clock, public)
	pages, err := a.screens(l, actions, l.theme)
	if err != nil {
		return handlers{}, err
	}
	apps, err := a.gateway(l, actions, before.gateway)
	if err != nil {
		return handlers{}, err
	}
	desk, operations, err := a.admin(l, actions)
	if err != nil {
		return handlers{}, err
	}
	reports := before.reports
	if reports == nil {
		reports = server.NewReports()
	}
	mux.Mount(
		pages,
		api.New(actions, l.Owner, l.sessions, useragent.Describe, l.places.Of, operations),
		reports,
		apps, desk,
		provider.New(provider.Config{Actions: actions, Screens: pages}),
		issuer.New(issuer.Config{
			Actions: actions, OpenID: l.OpenID, Screens: pages, Clients: l.clients, Refusals: a.refusals, Keys: a.Keys, Clock: a.clock, Public: public,
			Documents: l.config.OpenID.ClientDocuments, Registers: l.config.OpenID.Registration,
		}),
	)
	mux.Mount(a.options.Routes...)
	return handlers{mux, pages, apps, reports}, nil
}

// admin returns the handler of the admin page, and its operations if the settings have it.
func (a *App) admin(l *live, actions *form.Actions) (server.Routes, []form.Operation, error) {
	page, err := admin.NewPage(a.dist(), l.theme, l.config.Brand.Name)
	desk := admin.New(admin.Config{
		Actions: actions, Operator: l.Operator, Describe: useragent.Describe, Place: l.places.Of,
		Refusing: func(roles []string) []admin.AdminRefusal { return Refusing(l.config, roles) },
		Reaches:  func(client netip.Addr) bool { return hasAdmin(a.live.Load().config, client) }, Page: page, System: a.system(l.config),
		Visit: server.NewCookie(publicURL(l.config), "admin"),
		Apps:  adminApps{l.config, l.clients, l.Operator, l.OpenID.Subject, a.clock},
	})
	if !l.config.Admin {
		return desk, nil, err
	}
	return desk, admin.Operations(), err
}

// hasAdmin reports whether the settings have the admin page, for the address of a client.
func hasAdmin(c config.Config, client netip.Addr) bool {
	return c.Admin && (len(c.AdminNetworks) == 0 || slices.ContainsFunc(c.AdminNetworks, func(n netip.Prefix) bool { return n.Contains(client) }))
}

// system returns what the admin page asks this process.
func (a *App) system(c config.Config) admin.System {
	shown := admin.System{Version: portico.Version(), Commit: a.options.Build.Revision, Nodes: a.nodes, Unsent: a.Unsent, TestWebhook: a.TestWebhook}
	if examine := a.options.Examine; examine != nil {
		shown.Checks = func(ctx context.Context) []admin.AdminCheck { return examine(ctx, c) }
	}
	return shown
}

func (a *App) nodes(ctx context.Context) (list []admin.AdminNode, err error) {
	rows, err := a.nodeRows(ctx)
	for _, row := range rows {
		list = append(list, admin.AdminNode{ID: row.ID, Host: row.Keys.Host})
	}
	return list, err
}

// dist returns the built front end.
func (a *App) dist() fs.FS {
	if a.options.Dist != nil {
		return a.options.Dist
	}
	return web.Dist
}

func (a *App) screens(l *live, actions *form.Actions, look *brand.Theme) (*screens.Screens, error) {
	c := l.config
	cfg := screens.Config{
		Actions: actions, Owner: l.Owner, Catalogue: l.catalogue, Dist: a.dist(), Root: !atRoot(c),
		Brand:     screens.Brand{Name: c.Brand.Name},
		Legal:     screens.Legal{Imprint: c.Legal.Imprint, Privacy: c.Legal.Privacy, Terms: c.Legal.Terms, Version: c.Legal.TermsVersion},
		ClientApp: knownClient(l), AppAt: knownApp(c),
		Theme: look, Describe: useragent.Describe, Place: l.places.Of,
		Settings: l.shown(), Related: c.PasskeyOrigins, Sender: sender(c.MailFrom), Providers: []screens.Provider{},
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

// shown returns the settings that documents depend on.
func (l *live) shown() screens.Settings {
	c, policy := l.config, l.passwords.Policy()
	shown := screens.Settings{
		SignUp: yes(flow.SignUpMode(c.SignUp.Mode) != flow.ModeClosed), SignInCode: yes(c.SignIn.Code),
		Passkeys: yes(c.Passkeys && passkey.Usable(publicURL(c))), Trust: yes(c.MFA.Trust), Tokens: yes(len(tokenApps(c)) > 0),
		PasswordMin: policy.Min, PasswordMax: policy.Max, CodeLength: code.Length, CodeMinutes: int(flow.CodeLife / time.Minute),
	}
	if name := flow.NameRule(c.SignUp.Name); name != flow.NameOff {
		shown.Name = string(name)
	}
	return shown
}

// yes returns the form of a boolean in a document.
func yes(is bool) string {
	if is {
		return "yes"
	}
	return ""
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

// ping checks the database, and that this process can sign what its settings need. It translates the errors for package ops.
func (a *App) ping(ctx context.Context) error {
	err := a.Store.Ping(ctx)
	if errors.Is(err, store.ErrReadOnly) {
		return fmt.Errorf("%w: %w", ops.ErrReadOnly, err)
	}
	if err == nil && a.Keys.Ready(append(algorithms(a.live.Load().config), "ES256")...) != nil {
		return ops.ErrKeyless
	}
	return err
}
