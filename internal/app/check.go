package app

import (
	"errors"
	"strconv"

	"portico/internal/account"
	"portico/internal/assertion"
	"portico/internal/brand"
	"portico/internal/clientdoc"
	"portico/internal/clock"
	"portico/internal/config"
	"portico/internal/egress"
	"portico/internal/federation"
	"portico/internal/legacy"
	"portico/internal/locale"
	"portico/internal/mailer"
	"portico/internal/openid"
	"portico/internal/origin"
	"portico/internal/password"
	"portico/internal/place"
	"portico/internal/secret"
	"portico/internal/signupask"
	"portico/internal/store"
	"portico/internal/webhook"
)

// parts are everything that is built from the settings alone, without a database and a key.
// Every constructor that can refuse a setting runs in prepare, so `portico config check`,
// the start and a reload refuse the same settings, before anything is made or replaced.
type parts struct {
	config    config.Config
	catalogue *locale.Catalogue
	client    *egress.Client // for the providers
	providers *federation.Service
	policy    password.Policy
	theme     *brand.Theme
	pictures  map[string]*brand.File // icons of providers, by id
	places    *place.Database        // of networks; nil for none
	clients   openid.Clients         // that sign in by OpenID Connect
	asserted  *assertion.Keeper      // checks what they sign
	documents *clientdoc.Keeper      // of unknown clients; nil to know none
	told      *egress.Client         // for messages about ended sessions, to clients
	toldGuest *egress.Client         // for those to unknown clients
	hooks     []webhook.Hook
	hooked    *egress.Client    // for the webhooks
	asked     *legacy.Config    // the former system; nil without one
	admits    *signupask.Config // the app that is asked about sign-ups; nil without one
	mailer    *mailer.Mailer    // nil without SMTP
}

// Check returns settings that this version cannot use and that package config
// cannot judge alone. The error is of type config.Problems, unless the messages
// of the binary cannot be read.
func Check(cfg config.Config) error {
	_, err := prepare(cfg, clock.System{}, Options{})
	return err
}

// CheckValue checks one value by the rules of a setting, which it names by its variable. The
// error is of type config.Problems.
func CheckValue(variable, value string) error {
	cfg, err := config.OfValue(variable, value)
	if err != nil {
		return err
	}
	return Check(cfg)
}

// prepare builds the parts, or returns every problem of the settings. A setting that package
// config has refused is not reported again.
func prepare(cfg config.Config, c clock.Clock, o Options) (*parts, error) {
	r := cfg.Report()
	p := &parts{config: cfg}
	if err := store.CheckURL(cfg.DatabaseURL); err != nil {
		r.Add("database_url", err.Error(), "the parameters are in docs/operating/postgresql.md")
	}
	_, wrong := Apps(cfg) // serving, they have the address of the listener
	take(r, append(wrong, rulesWithoutApp(cfg)...))
	if _, bad := account.ParseAddress(cfg.FirstAdmin, "email"); bad != nil && cfg.FirstAdmin != "" {
		r.Add("first_admin", strconv.Quote(cfg.FirstAdmin)+" is not an email address", "write one, such as mara@example.com")
	}
	if _, bad := account.ParseAddress(cfg.TLS.Email, "email"); bad != nil && cfg.TLS.Email != "" {
		r.Add("tls.acme_email", strconv.Quote(cfg.TLS.Email)+" is not an email address", "write one, such as mara@example.com")
	}
	p.takePlaces(r)
	failed := errors.Join(p.takeTexts(r), p.takePasswords(r), p.takeClients(r, c), p.takeProviders(r, c), p.takeWebhooks(r), p.takeLegacy(r, c), p.takeSignUpAsk(r, c), p.takeBrand(r, o.Icons))
	if _, err := passkeys(cfg, secret.NewKey(), c); err != nil { // serving, it has the key of the database
		failed = errors.Join(failed, err)
	}
	if o.Deliver == nil {
		failed = errors.Join(failed, p.takeMail(r, c))
	}
	switch err := r.Err(); {
	case err != nil:
		return nil, err
	case failed != nil && cfg.Complete():
		return nil, failed
	}
	return p, nil
}

func (p *parts) takeTexts(r *config.Report) error {
	t, err := readTexts(p.config)
	if err != nil {
		return err
	}
	catalogue, ok := t.catalogue.WithDefault(p.config.Locale)
	if !ok {
		r.Add("locale", "there are no texts in "+p.config.Locale, config.OneFrom(p.config.Locale, t.catalogue.Locales()))
		return nil
	}
	p.catalogue = catalogue
	add(p.config, r, t.wrong)
	return nil
}

// take adds the problems of others to a report.
func take(r *config.Report, problems config.Problems) {
	for _, p := range problems {
		r.Add(p.Key, p.Why, p.Write)
	}
}

func (p *parts) takeClients(r *config.Report, c clock.Clock) (err error) {
	made, wrong := clients(p.config)
	take(r, wrong)
	p.clients = made
	if err := p.takeAssertions(c); err != nil {
		return err
	}
	if p.told, err = outgoing(p.config, p.clients.LogoutOrigins()); err != nil {
		return err
	}
	guests := p.config.OpenID
	if p.toldGuest, err = outgoing(p.config, guests.ClientOrigins); err != nil {
		return err
	}
	if guests.ClientDocuments || guests.Registration {
		way, err := Outgoing(p.config)
		if err != nil {
			return err
		}
		if p.documents, err = clientdoc.New(clientdoc.Config{Clock: c, Origins: guests.ClientOrigins, Self: origin.Of(publicURL(p.config)), Egress: way}); err != nil {
			return err
		}
	}
	return nil
}

func (p *parts) takeProviders(r *config.Report, c clock.Clock) (err error) {
	for _, provider := range providers(p.config) {
		for _, m := range federation.Check(provider) {
			prefix := "providers." + m.ID + "."
			r.Add(prefix+m.Key, "it "+m.Why, m.Write, prefix+"preset", prefix+"private_key")
		}
	}
	p.client, p.providers, err = makeProviders(p.config, c)
	return err
}
