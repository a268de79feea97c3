package app

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"maps"
	"net/url"
	"sync/atomic"
	"time"

	"portico/internal/brand"
	"portico/internal/breach"
	"portico/internal/clock"
	"portico/internal/cluster"
	"portico/internal/config"
	"portico/internal/egress"
	"portico/internal/federation"
	"portico/internal/flow"
	"portico/internal/ids"
	"portico/internal/locale"
	"portico/internal/mailer"
	"portico/internal/openid"
	"portico/internal/origin"
	"portico/internal/outbox"
	"portico/internal/pages"
	"portico/internal/password"
	"portico/internal/secret"
	"portico/internal/server"
	"portico/internal/server/gateway"
	"portico/internal/session"
	"portico/internal/signingkey"
	"portico/internal/store"
	"portico/internal/telemetry/otlp"
	"portico/internal/telemetry/span"
	"portico/internal/useragent"
	"portico/web"
)

// cacheMax is the number of sessions that a node caches: about 60 MiB when
// full.
const cacheMax = 100_000

// Options are choices of the caller of New beside the configuration. The zero
// value suits production.
type Options struct {
	Build Build // for the metrics

	Clock clock.Clock  // the system clock when nil
	Log   *slog.Logger // discarded when nil
	Dist  fs.FS        // the built screens; those embedded in the binary when nil

	// Existing makes New fail if the database does not exist. Commands set it
	// so that they never work on a new, empty database.
	Existing bool

	// Development allows accounts with a published password. New then marks a
	// new database as a development database and refuses any other. Without it
	// New refuses a development database, unless Existing is set.
	Development bool

	// Calibrate measures the machine if password.hash is "auto". Commands leave
	// it false and use the stored result.
	Calibrate bool

	// Deliver sends emails in place of SMTP when not nil.
	Deliver func(context.Context, outbox.Message) error
	// More routes to mount: the pages of `portico dev`.
	Routes []server.Routes
	// Icons by the id of the provider: `portico dev` has no file for its own.
	Icons map[string][]byte
}

// Build says from what the process was built.
type Build struct {
	Version  string `json:"version"`
	Revision string `json:"revision"`
	Date     string `json:"date"` // of the commit, in RFC 3339
	Go       string `json:"go"`
}

// String returns the build on one line.
func (b Build) String() string {
	return fmt.Sprintf("portico %s (%.12s of %.10s, %s)", b.Version, b.Revision, b.Date, b.Go)
}

// App is a complete Portico. Its methods are safe for concurrent use, except
// Claim, Run and Close, of which one may run at a time.
type App struct {
	Config    config.Config
	Store     *store.Store
	Flows     *flow.Flows
	Sessions  *session.Keeper
	Passwords *password.Service
	Keys      *signingkey.Keeper
	Outbox    *outbox.Outbox
	Mailer    *mailer.Mailer // nil without SMTP

	clock     clock.Clock
	log       *slog.Logger
	catalogue *locale.Catalogue
	providers *federation.Service
	theme     *brand.Theme
	pictures  map[string]*brand.File // icons of providers, by id
	clients   openid.Clients         // that sign in by OpenID Connect
	holders   *secret.MAC            // marks which account an app's cookies belong to
	runner    *outbox.Runner         // nil when nothing sends emails
	traces    *otlp.Traces           // nil when tracing is off
	spans     *span.Source           // nil when tracing is off
	tidying   *cluster.Lease         // held by the node that deletes expired data
	node      *cluster.Node          // this process among the nodes on the database
	common    *common                // the clock for emails and tickets
	apart     atomic.Bool            // whether this machine's clock is far from the database server's
	claim     io.Closer              // on the database; nil while unclaimed
	options   Options
}

// New opens the database, migrates its schema and builds every part. It opens
// no listener and sends no email; Run does. Its errors are written for the
// operator. The caller must close the App.
func New(ctx context.Context, cfg config.Config, options Options) (*App, error) {
	a := &App{Config: cfg, clock: options.Clock, log: options.Log, options: options, tidying: cluster.NewLease("tidying")}
	if a.clock == nil {
		a.clock = clock.System{}
	}
	if a.log == nil {
		a.log = slog.New(slog.DiscardHandler)
	}
	if err := Check(cfg); err != nil {
		return nil, err
	}
	catalogue, err := locale.Load(web.Messages)
	if err != nil {
		return nil, err
	}
	a.catalogue, _ = catalogue.WithDefault(cfg.Locale) // Check has found the locale
	if a.Store, err = store.Open(ctx, store.Config{URL: cfg.DatabaseURL, MustExist: options.Existing}); err != nil {
		return nil, err
	}
	if err := a.assemble(ctx); err != nil {
		if a.traces != nil {
			_ = a.traces.Close(ctx)
		}
		_ = a.Store.Close()
		return nil, err
	}
	return a, nil
}

// Close writes pending last uses of sessions and closes the database. It waits
// at most five seconds for the writes.
func (a *App) Close() error {
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
	defer cancel()
	if err := a.flushSessions(ctx); err != nil {
		a.log.Error("the last uses of sessions could not be written", "error", err)
	}
	if a.traces != nil {
		a.report("close the traces", a.traces.Close(ctx))
	}
	return errors.Join(a.unclaim(), a.Store.Close())
}

// firstMigration is applied only to an empty database.
const firstMigration = "00001_start.sql"

func (a *App) assemble(ctx context.Context) error {
	if err := a.checkPurpose(ctx); err != nil {
		return err
	}
	applied, err := a.Store.Migrate(ctx)
	if err != nil {
		return err
	}
	if len(applied) > 0 && applied[0] == firstMigration {
		a.log.Info("the database is new and has no accounts") // also shows a typo in database_url
	}
	if err := a.Store.CheckHome(ctx); err != nil {
		return err
	}
	key, err := openKey(ctx, a.Config, a.Store)
	if err != nil {
		return err
	}
	if err := checkKey(ctx, a.Store, key, a.Config.SecretFile, a.options.purpose()); err != nil {
		return err
	}
	if err := a.buildBrand(); err != nil {
		return err
	}
	a.node = cluster.NewNode(key, a.Config.Shared())
	a.common = &common{Clock: a.clock}
	a.Outbox = outbox.New(outbox.Config{Clock: a.common, Box: key.Box("outbox")})
	a.Sessions = session.NewKeeper(session.Config{
		Clock: a.clock, Idle: a.Config.Session.Idle, Absolute: a.Config.Session.Absolute, CacheMax: cacheMax,
	})
	if err := a.buildPasswords(ctx, key); err != nil {
		return err
	}
	if a.providers, err = Providers(a.Config, a.clock); err != nil {
		return err
	}
	if err := a.buildTraces(); err != nil {
		return err
	}
	if err := a.buildMail(); err != nil {
		return err
	}
	a.clients, _ = clients(a.Config) // Check has found no problem
	a.Keys = signingkey.NewKeeper(signingkey.Config{Clock: a.clock, Box: key.Box("keys"), Longest: max(gateway.TokenLife, openid.IDTokenLife), RSA: rsaClient(a.Config)})
	a.holders = key.MAC("app cookies")
	a.Flows = flow.New(flow.Config{
		Store: unit[flow.Tx]{a.Store, func(tx *store.Tx) flow.Tx { return tx }},
		Clock: a.clock, Common: a.common, Key: key, Passwords: a.Passwords, Sessions: a.Sessions, Providers: a.providers, Outbox: a.Outbox,
		Keys: a.Keys, SignUp: a.Config.SignUp.Enabled, Names: flow.NameRule(a.Config.SignUp.Name), PublicURL: a.publicURL().String(), Site: a.Config.Brand.Name,
		Targets: flow.Targets{Fallback: a.fallback(), Self: origin.Of(a.publicURL()), Origins: a.returnOrigins()},
	})
	return nil
}

// publicURL returns the configured address. Commands work without one, so its
// default is http://localhost.
func publicURL(cfg config.Config) *url.URL {
	if cfg.PublicURL != nil {
		return cfg.PublicURL
	}
	return &url.URL{Scheme: "http", Host: "localhost"}
}

func (a *App) publicURL() *url.URL { return publicURL(a.Config) }

// fallback returns the return target for requests without one: return_default,
// else the app at the root of the public host, else the account page.
func (a *App) fallback() string {
	if a.Config.ReturnDefault == "" && a.atRoot() {
		return "/"
	}
	return cmp.Or(a.Config.ReturnDefault, pages.Account)
}

func (a *App) buildPasswords(ctx context.Context, key *secret.Key) error {
	filter, err := breach.Load()
	if err != nil {
		return err
	}
	policy, ok := password.Profile(a.Config.Password.Profile)
	if !ok {
		return fmt.Errorf("the password profile %q is not known", a.Config.Password.Profile)
	}
	if a.Config.Password.Min != 0 {
		policy.Min = a.Config.Password.Min
	}
	cost, err := a.hashCost(ctx)
	if err != nil {
		return err
	}
	a.Passwords, err = password.New(password.Config{
		Keys: []*secret.Key{key}, Breached: filter, Policy: policy,
		Names: []string{"Portico", a.Config.Brand.Name, a.publicURL().Hostname()},
		Cost:  cost,
		Slots: a.Config.Hashing.Slots, Queue: a.Config.Hashing.Queue,
	})
	return err
}

// providers converts the configured providers for package federation.
func providers(cfg config.Config) []federation.ProviderConfig {
	configured := make([]federation.ProviderConfig, 0, len(cfg.Providers))
	for _, p := range cfg.Providers {
		configured = append(configured, federation.ProviderConfig{
			ID: p.ID, Preset: p.Preset, Name: p.Name, Issuer: p.Issuer,
			ClientID: p.ClientID, ClientSecret: p.ClientSecret, TrustEmail: &p.TrustEmail,
			TeamID: p.TeamID, KeyID: p.KeyID, PrivateKey: p.PrivateKey,
		})
	}
	return configured
}

// Providers builds the external providers of a configuration. It sends no
// request.
func Providers(cfg config.Config, c clock.Clock) (*federation.Service, error) {
	configured := providers(cfg)
	client, err := egress.New(egress.Config{Allow: federation.Origins(configured)})
	if err != nil {
		return nil, err
	}
	public := publicURL(cfg)
	return federation.New(federation.Config{
		Providers: configured, Client: client, Clock: c,
		RedirectURL: func(id string) string {
			return public.JoinPath(pages.ProviderCallback(id)).String()
		},
	})
}

// Mailer builds the mailer of a configuration that has smtp_url. It does not
// connect.
func Mailer(cfg config.Config, catalogue *locale.Catalogue, c clock.Clock) (*mailer.Mailer, error) {
	server, err := mailer.ParseURL(cfg.SMTPURL)
	if err != nil {
		return nil, err
	}
	look := brand.Default()
	if own, wrong := theme(cfg); len(wrong) == 0 {
		look = own
	}
	return mailer.New(mailer.Config{
		Server: server, From: cfg.MailFrom, ReplyTo: cfg.MailReplyTo, Imprint: cfg.Legal.Imprint, Privacy: cfg.Legal.Privacy, PublicURL: publicURL(cfg).String(),
		Brand: cfg.Brand.Name, Look: look.Mail(), Catalogue: catalogue, Clock: c,
	})
}

func (a *App) buildMail() (err error) {
	switch {
	case a.options.Deliver != nil:
		a.deliverBy(a.options.Deliver)
		return nil
	case a.Config.SMTPURL == "":
		return nil
	}
	a.Mailer, err = Mailer(a.Config, a.catalogue, a.clock)
	a.deliverBy(a.send)
	return err
}

func (a *App) deliverBy(deliver func(context.Context, outbox.Message) error) {
	a.runner = outbox.NewRunner(outbox.RunnerConfig{
		Outbox: a.Outbox, Log: a.log,
		Deliver: func(ctx context.Context, m outbox.Message) error {
			ctx, s := a.spans.Begin(ctx, span.MailSend, span.Template(m.Template), span.Message(m.ID))
			err := deliver(ctx, m)
			s.End(failure(err))
			return err
		},
		Write: unit[outbox.Store]{a.Store, func(tx *store.Tx) outbox.Store { return tx }}.Write,
	})
}

// buildTraces prepares sending traces if a collector is configured.
func (a *App) buildTraces() error {
	cfg := a.Config.Tracing
	if cfg.Endpoint == nil {
		return nil
	}
	client, err := egress.New(egress.Config{Allow: []string{origin.Of(cfg.Endpoint)}})
	if err != nil {
		return err
	}
	a.traces, err = otlp.New(otlp.Config{
		Endpoint: cfg.Endpoint, Header: cfg.Header, Ratio: cfg.SampleRatio,
		Version: a.options.Build.Version, Instance: ids.New(), Client: client.HTTP(), Log: a.log,
	})
	if err == nil {
		a.spans = a.traces.Source()
	}
	return err
}

// send delivers one message of the outbox by SMTP.
func (a *App) send(ctx context.Context, m outbox.Message) error {
	data := maps.Clone(m.Data)
	data["browser"], data["system"] = useragent.Parse(m.Data["browser"])
	return a.Mailer.Send(ctx, mailer.Message{ID: m.ID, Template: m.Template, To: m.To, Locale: m.Locale, Data: data})
}
