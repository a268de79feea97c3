package app

import (
	"cmp"
	"context"
	"fmt"
	"reflect"
	"strings"

	"portico/internal/assertion"
	"portico/internal/brand"
	"portico/internal/clientdoc"
	"portico/internal/config"
	"portico/internal/egress"
	"portico/internal/farewell"
	"portico/internal/federation"
	"portico/internal/flow"
	"portico/internal/locale"
	"portico/internal/mailer"
	"portico/internal/openid"
	"portico/internal/origin"
	"portico/internal/pages"
	"portico/internal/passkey"
	"portico/internal/password"
	"portico/internal/place"
	"portico/internal/server/gateway"
	"portico/internal/session"
	"portico/internal/store"
)

// live is everything that is built from settings that can change while Portico
// serves. A reload builds a new one and replaces the old one whole. A request
// keeps the one with which it began.
type live struct {
	config    config.Config
	catalogue *locale.Catalogue
	client    *egress.Client // for the providers
	providers *federation.Service
	sessions  *session.Keeper
	passwords *password.Service
	theme     *brand.Theme
	pictures  map[string]*brand.File // icons of providers, by id
	places    *place.Database        // of networks; nil for none
	clients   openid.Clients         // that sign in by OpenID Connect
	farewell  *farewell.Sender       // tells them about ended sessions
	asserted  *assertion.Keeper      // checks what they sign
	documents *clientdoc.Keeper      // of unknown clients; nil to know none
	mailer    *mailer.Mailer         // nil without SMTP
	flows     *flow.Flows
	handlers  // set by Run

	replaced context.Context // ends when another one is in its place; set by Run
	retire   context.CancelFunc
}

// build builds everything but the handlers. before is the one that is replaced,
// or nil. It shares what holds state: caches, counters, slots for hashing.
func (a *App) build(cfg config.Config, before *live) (l *live, err error) {
	l = &live{config: cfg}
	l.clients, _ = clients(cfg) // Check has found no problem
	t, err := readTexts(cfg)
	if err != nil {
		return nil, err
	}
	if len(t.wrong) > 0 { // they have changed since Check
		return nil, fmt.Errorf("the texts in %s have mistakes: run 'portico config check'", cfg.Texts)
	}
	l.catalogue, _ = t.catalogue.WithDefault(cfg.Locale) // Check has found the locale
	if err := a.buildBrand(l); err != nil {
		return nil, err
	}
	if err := buildPlaces(l, before); err != nil {
		return nil, err
	}
	if err := a.buildProviders(l, before); err != nil {
		return nil, err
	}
	if before == nil {
		l.sessions = session.NewKeeper(session.Config{
			Clock: a.clock, Idle: cfg.Session.Idle, Absolute: cfg.Session.Absolute, CacheMax: cacheMax,
		})
	} else {
		l.sessions = before.sessions.With(cfg.Session.Idle, cfg.Session.Absolute)
	}
	policy, err := passwordPolicy(cfg)
	if err != nil {
		return nil, err
	}
	if l.passwords, err = a.hashing.With(policy, []string{"Portico", cfg.Brand.Name, publicURL(cfg).Hostname()}); err != nil {
		return nil, err
	}
	if err := a.buildMail(l); err != nil {
		return nil, err
	}
	if err := a.buildAssertions(l); err != nil {
		return nil, err
	}
	if cfg.OpenID.ClientDocuments || cfg.OpenID.Registration {
		way, err := Outgoing(cfg)
		if err != nil {
			return nil, err
		}
		if l.documents, err = clientdoc.New(clientdoc.Config{Clock: a.clock, Origins: cfg.OpenID.ClientOrigins, Self: origin.Of(publicURL(cfg)), Egress: way}); err != nil {
			return nil, err
		}
	}
	public := publicURL(cfg)
	passkeys, err := a.passkeys(cfg)
	if err != nil {
		return nil, err
	}
	made := flow.Config{
		Store: unit[flow.Tx]{a.Store, func(tx *store.Tx) flow.Tx { return tx }},
		Clock: a.clock, Key: a.key, Passwords: l.passwords, Sessions: l.sessions, Providers: l.providers, Passkeys: passkeys, Outbox: a.Outbox,
		Keys: a.Keys, Clients: l.clients, Asserted: l.asserted, Documents: l.documents, Guests: cfg.OpenID.ClientDocuments, Registers: cfg.OpenID.Registration, Resources: tokenResources(cfg), SignUp: flow.SignUpMode(cfg.SignUp.Mode), Trust: cfg.MFA.Trust, Require: require(cfg.MFA), ByCode: cfg.SignIn.Code, Places: l.places != nil, Terms: cfg.Legal.TermsVersion, Names: flow.NameRule(cfg.SignUp.Name), PublicURL: public.String(), Site: cfg.Brand.Name,
		Targets: flow.Targets{Fallback: fallback(cfg), Self: origin.Of(public), Origins: returnOrigins(cfg)},
	}
	if before != nil {
		made.Before = before.flows
	}
	l.flows = flow.New(made)
	return l, a.buildFarewell(l)
}

// require returns who needs a second factor.
func require(cfg config.MFA) flow.Require {
	r := flow.Require{Grace: cfg.Grace}
	for _, who := range cfg.Require {
		if role, ok := strings.CutPrefix(who, "role:"); ok {
			r.Roles = append(r.Roles, role)
		} else {
			r.All = true
		}
	}
	return r
}

// passkeys returns nil if there are none.
func (a *App) passkeys(cfg config.Config) (*passkey.Keeper, error) {
	if !cfg.Passkeys {
		return nil, nil
	}
	return passkey.NewKeeper(passkey.Config{Key: a.key, Clock: a.clock, Public: publicURL(cfg), Site: cfg.Brand.Name, Related: cfg.PasskeyOrigins})
}

// fallback returns the return target for requests without one: return_default,
// else the app at the root of the public host, else the account page.
func fallback(cfg config.Config) string {
	if cfg.ReturnDefault == "" && atRoot(cfg) {
		return "/"
	}
	return cmp.Or(cfg.ReturnDefault, pages.Account)
}

// passwordPolicy returns the rule for new passwords.
func passwordPolicy(cfg config.Config) (password.Policy, error) {
	policy, ok := password.Profile(cfg.Password.Profile)
	if !ok {
		return policy, fmt.Errorf("the password profile %q is not known", cfg.Password.Profile)
	}
	if cfg.Password.Min != 0 {
		policy.Min = cfg.Password.Min
	}
	return policy, nil
}

// buildProviders keeps the providers of before if nothing about them has
// changed, so that their documents are not loaded again.
func (a *App) buildProviders(l, before *live) (err error) {
	if before != nil && reflect.DeepEqual(l.config.Providers, before.config.Providers) {
		l.client, l.providers = before.client, before.providers
		return nil
	}
	l.client, l.providers, err = makeProviders(l.config, a.clock)
	return err
}

// buildMail always makes a new mailer: its texts depend on many settings, and a
// new connection costs little.
func (a *App) buildMail(l *live) (err error) {
	if a.options.Deliver != nil || l.config.SMTPURL == "" {
		return nil
	}
	l.mailer, err = Mailer(l.config, l.catalogue, a.clock)
	return err
}

// close releases what next does not use. next may be nil.
func (l *live) close(next *live) {
	var gate *gateway.Gateway
	if next != nil {
		gate = next.gateway
	}
	l.gateway.Close(gate)
	if next == nil || next.client != l.client {
		l.client.HTTP().CloseIdleConnections()
	}
	if l.mailer != nil {
		l.mailer.Close()
	}
	l.farewell.Close()
	l.asserted.Close()
	if l.documents != nil {
		l.documents.Close()
	}
}
