package app

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"net/url"
	"os"
	"sync"
	"sync/atomic"
	"time"

	"portico/internal/audit"
	"portico/internal/brand"
	"portico/internal/breach"
	"portico/internal/certificate"
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
	"portico/internal/server/admin"
	"portico/internal/server/gateway"
	"portico/internal/session"
	"portico/internal/signingkey"
	"portico/internal/store"
	"portico/internal/telemetry/otlp"
	"portico/internal/telemetry/span"
	"portico/internal/webhook"
)

// cacheMax is the number of sessions that a node caches: about 60 MiB when
// full.
const cacheMax = 100_000

// Options are choices of the caller of New in addition to the configuration. The zero
// value suits production.
type Options struct {
	Build Build // for the metrics

	Clock clock.Clock          // the system clock when nil
	Moved func() time.Duration // how far tests have moved the time of `portico dev`; not at all when nil
	Log   *slog.Logger         // discarded when nil
	Dist  fs.FS                // the built screens; those embedded in the binary when nil

	// Existing makes New fail if the database does not exist. Commands set it
	// so that they never work on a new, empty database. New then reads no
	// database of places, which only requests need.
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

	// Warmed is called once when the work of the start is done: Run serves, and
	// the screens are compressed. Not called when nil.
	Warmed func()

	// Load reads the settings again, with all checks. Without it, Reload
	// refuses. Hangup asks for a reload; nil for never.
	Load   func() (config.Config, error)
	Hangup <-chan os.Signal

	// Examine runs the quick checks of the doctor, for the admin page. Not called when nil.
	Examine func(context.Context, config.Config) []admin.AdminCheck

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
//
// Its fields have the settings of the start, for commands. Requests take
// everything that depends on settings from live, which Reload replaces.
type App struct {
	flow.All
	Config    config.Config
	Store     *store.Store
	Sessions  *session.Keeper
	Passwords *password.Service
	Keys      *signingkey.Keeper
	Outbox    *outbox.Outbox
	Mailer    *mailer.Mailer // nil without SMTP

	clock        *common // of all nodes
	log          *slog.Logger
	key          *secret.Key
	hashing      *password.Service // with the slots that every live shares
	sealer       *audit.Sealer
	holders      *secret.MAC // marks which account an app's cookies belong to
	live         atomic.Pointer[live]
	reloading    sync.Mutex       // held while live is replaced
	keying       sync.Mutex       // held while key is changed
	registered   []string         // the keys that the row of this process names; guarded by keying
	ended        bool             // whether Run has ended; guarded by reloading
	serving      context.Context  // ends with the background work of Run
	mails        []*outbox.Runner // one for each lane of emails; none when nothing sends them
	events       *webhook.Runner
	farewells    []*outbox.Runner   // tell OpenID clients about ended sessions
	certificates certificate.Source // nil when a proxy terminates TLS
	refusals     *openid.Refusals   // of OpenID clients
	traces       *otlp.Traces       // nil when tracing is off
	spans        *span.Source       // nil when tracing is off
	tidying      *cluster.Lease     // held by the node that deletes expired data
	compared     comparison
	node         *cluster.Node // this process among the nodes on the database
	lineage      string        // the name of the database that Run has seen last
	wasSetBack   bool          // whether the database was set back at the look before
	apart        atomic.Bool   // whether this machine's clock is far from the database server's
	claim        io.Closer     // on the database; nil while unclaimed
	options      Options
}

// New opens the database, migrates its schema and builds every part. It opens
// no listener and sends no email; Run does. Its errors are written for the
// operator. The caller must close the App.
func New(ctx context.Context, cfg config.Config, options Options) (*App, error) {
	if options.Existing {
		cfg.Places = ""
	}
	a := &App{Config: cfg, clock: &common{machine: options.Clock, moved: options.Moved}, log: options.Log, options: options, refusals: openid.NewRefusals(), tidying: cluster.NewLease("tidying")}
	if a.clock.machine == nil {
		a.clock.machine = clock.System{}
	}
	if a.clock.moved == nil {
		a.clock.moved = func() time.Duration { return 0 }
	}
	if a.log == nil {
		a.log = slog.New(slog.DiscardHandler)
	}
	parts, err := prepare(cfg, a.clock, options)
	if err != nil {
		return nil, err
	}
	if err := a.buildTraces(); err != nil {
		return nil, err
	}
	if a.Store, err = store.Open(ctx, store.Config{URL: cfg.DatabaseURL, MustExist: options.Existing}); err == nil {
		if err = a.assemble(ctx, parts); err == nil {
			return a, nil
		}
		_ = a.Store.Close()
	}
	if a.traces != nil {
		_ = a.traces.Close(ctx)
	}
	return nil, err
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
	if a.hashing != nil {
		a.hashing.Close()
	}
	return errors.Join(a.unclaim(), a.Store.Close())
}

// firstMigration is applied only to an empty database.
const firstMigration = "0001_start.sql"

func (a *App) assemble(ctx context.Context, p *parts) error {
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
	a.key = key
	host, _ := os.Hostname() // only for messages
	a.node = cluster.NewNode(key, host, a.Config.Shared())
	a.sealer = audit.NewSealer(a.clock, key.Box(audit.BoxPurpose))
	a.Outbox = outbox.New(outbox.Config{Clock: a.clock, Box: key.Box("outbox")})
	a.Keys = signingkey.NewKeeper(signingkey.Config{
		Clock: a.clock, Box: key.Box("keys"), Longest: max(gateway.TokenLife, openid.IDTokenLife), Remember: a.Config.Session.Absolute, Algorithms: algorithms(a.Config),
	})
	a.holders = key.MAC("app cookies")
	if err := a.buildHashing(ctx, key); err != nil {
		return err
	}
	if err := a.rememberFormers(ctx); err != nil {
		return err
	}
	a.prepareWebhooks()
	first, err := a.build(p, nil)
	if err != nil {
		return err
	}
	a.live.Store(first)
	a.All, a.Sessions, a.Passwords, a.Mailer = first.All, first.sessions, first.passwords, first.mailer
	a.prepareMail()
	a.prepareFarewells()
	if a.Store.Shared() { // a command gives times that the nodes judge
		return a.compareClocks(ctx)
	}
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

// buildHashing prepares hashing passwords: the cost and the slots, which a
// reload does not change.
func (a *App) buildHashing(ctx context.Context, key *secret.Key) error {
	filter, err := breach.Load()
	if err != nil {
		return err
	}
	cost, err := a.hashCost(ctx)
	if err != nil {
		return err
	}
	a.hashing, err = password.New(password.Config{
		Key: key, Breached: filter, Cost: cost, Slots: a.Config.Hashing.Slots, Queue: a.Config.Hashing.Queue,
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
			StrongAMR: p.MFAAMR, StrongACR: p.MFAACR, Audiences: p.Audiences,
			Scopes: p.Scopes, RolesClaim: p.RolesClaim, Roles: mappings(p.Roles),
			TeamID: p.TeamID, KeyID: p.KeyID, PrivateKey: p.PrivateKey,
		})
	}
	return configured
}

func mappings(list []config.RoleMapping) (all []federation.RoleMapping) {
	for _, m := range list {
		all = append(all, federation.RoleMapping(m))
	}
	return all
}

// Issuers returns the issuers of the providers, which are servers of others.
func Issuers(cfg config.Config) (issuers []string) {
	for _, p := range providers(cfg) {
		if issuer := federation.IssuerOf(p); issuer != "" {
			issuers = append(issuers, issuer)
		}
	}
	return issuers
}

// Providers builds the external providers of a configuration. It sends no
// request.
func Providers(cfg config.Config, c clock.Clock) (*federation.Service, error) {
	_, service, err := makeProviders(cfg, c)
	return service, err
}

func makeProviders(cfg config.Config, c clock.Clock) (*egress.Client, *federation.Service, error) {
	configured := providers(cfg)
	client, err := outgoing(cfg, federation.Origins(configured))
	if err != nil {
		return nil, nil, err
	}
	public := publicURL(cfg)
	service, err := federation.New(federation.Config{
		Providers: configured, Client: client, Clock: c,
		RedirectURL: func(id string) string {
			return public.JoinPath(pages.ProviderCallback(id)).String()
		},
	})
	return client, service, err
}

// Mailer builds the mailer of a configuration that has smtp_url and mail_from. It does not
// connect.
func Mailer(cfg config.Config, catalogue *locale.Catalogue, c clock.Clock) (*mailer.Mailer, error) {
	p := parts{config: cfg, catalogue: catalogue, theme: brand.Default()}
	if own, wrong := theme(cfg); len(wrong) == 0 {
		p.theme = own
	}
	r := cfg.Report()
	err := errors.Join(p.takeMail(r, c), r.Err())
	return p.mailer, err
}

// buildTraces prepares sending traces if a collector is configured.
func (a *App) buildTraces() error {
	cfg := a.Config.Tracing
	if cfg.Endpoint == nil {
		return nil
	}
	client, err := outgoing(a.Config, []string{origin.Of(cfg.Endpoint)})
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
