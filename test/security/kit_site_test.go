package security

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"errors"
	"io/fs"
	"log/slog"
	"math/big"
	"net"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"portico/internal/account"
	"portico/internal/app"
	"portico/internal/apptest"
	"portico/internal/clock"
	"portico/internal/config"
	"portico/internal/flow"
	"portico/internal/logtest"
	"portico/internal/screentest"
	"portico/internal/secret"
	"portico/internal/server"
	"portico/internal/store"
	"portico/internal/store/pgtest"
	"portico/internal/testform"
	"portico/internal/webhook"
)

// Two passwords that pass every rule.
const (
	good  = "copper lantern over seven hills"
	other = "seven hills under a paper lantern"
)

// site is one running Portico with its own clock, mail server, database and
// log.
type site struct {
	*testing.T
	app     *app.App
	clock   *clock.Manual
	machine clock.Clock // that Portico runs by; nil for clock
	mail    *mailServer
	log     *logtest.Buffer
	trace   *trace
	config  config.Config
	origin  string // the origin as browsers write it
	addr    string // the address of the listener
	secure  bool
	ops     string // the address of the operations listener

	screens  fs.FS // nil for the product's own screens
	browsers *browsers
	mounted  list // every route of the public listener

	stop func()
}

// option changes the configuration before the start.
type option func(*config.Config)

// plain serves http on a loopback name, as in development.
func plain(c *config.Config) { c.PublicURL = nil }

// nothingYet gives the site an empty database, and on SQLite no master key. Others have what
// apptest.Prepare makes.
func nothingYet(t *testing.T) option {
	return func(c *config.Config) {
		dir := t.TempDir()
		c.DatabaseURL, c.SecretFile = pgtest.Chosen(t, filepath.Join(dir, "portico.db")), filepath.Join(dir, "secret.key")
		if !strings.HasPrefix(c.DatabaseURL, "sqlite:") {
			if _, err := secret.CreateKey(c.SecretFile); err != nil {
				t.Fatal(err)
			}
		}
	}
}

// costly gives hashes the cost of the product, for a test that measures.
func costly(c *config.Config) {
	standard := config.Default().Hashing
	c.Hashing.MemoryMiB, c.Hashing.Passes = standard.MemoryMiB, standard.Passes
}

// start runs a Portico with TLS at https://portico.test. Its screens are tiny,
// because compressing the real ones takes longer than most tests.
func start(t *testing.T, options ...option) *site {
	t.Helper()
	return startWith(t, tinyScreens(), options...)
}

// startWhole is start with the real screens.
func startWhole(t *testing.T, options ...option) *site {
	t.Helper()
	return startWith(t, nil, options...)
}

func startWith(t *testing.T, screens fs.FS, options ...option) *site {
	t.Helper()
	dir := t.TempDir()
	s := &site{
		T: t, clock: clock.NewManual(time.Date(2026, 5, 4, 10, 0, 0, 0, time.UTC)), mail: newMailServer(t),
		log: &logtest.Buffer{}, trace: &trace{}, config: config.Default(),
		screens: screens, browsers: &browsers{},
	}
	s.config.PublicURL = &url.URL{Scheme: "https", Host: "portico.test"}
	s.config.DatabaseURL = pgtest.Chosen(t, filepath.Join(dir, "portico.db"))
	s.config.SecretFile = filepath.Join(dir, "secret.key")
	apptest.Prepare(t, &s.config)
	s.config.SMTPURL = "smtp://" + s.mail.addr + "?tls=none"
	s.config.MailFrom = "no-reply@portico.test"
	openIDClients(&s.config)
	for _, o := range options {
		o(&s.config)
	}
	s.secure = s.config.PublicURL != nil
	s.run()
	t.Cleanup(func() { s.stop() })
	return s
}

// run starts the application on the existing data.
func (s *site) run() {
	s.Helper()
	listeners := app.Listeners{Public: s.listen(), Ops: s.listen()}
	s.addr, s.ops = listeners.Public.Addr().String(), listeners.Ops.Addr().String()
	switch {
	case s.config.TLS.On(): // Portico serves it
	case s.secure:
		listeners.Public = tls.NewListener(listeners.Public, serverTLS(s.T))
	default:
		_, port, _ := net.SplitHostPort(s.addr)
		s.config.PublicURL = &url.URL{Scheme: "http", Host: "localhost:" + port}
	}
	s.origin = s.config.PublicURL.String()
	var now clock.Clock = s.clock
	if s.machine != nil {
		now = s.machine
	}
	a, err := app.New(s.Context(), s.config, app.Options{
		Clock: now, Log: slog.New(slog.NewJSONHandler(s.log, &slog.HandlerOptions{Level: slog.LevelDebug})),
		Routes: []server.Routes{&s.mounted}, Dist: s.screens, Load: func() (config.Config, error) { return s.config, nil },
	})
	if err != nil {
		s.Fatal(err)
	}
	s.app = a
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- a.Run(ctx, listeners) }()
	s.stop = sync.OnceFunc(func() {
		s.browsers.closeIdle()
		cancel()
		if err := <-done; err != nil {
			s.Error("stop:", err)
		}
		if err := a.Close(); err != nil {
			s.Log("close:", err) // a test may have broken the store
		}
	})
}

// follows reloads the settings, after changes.
func (s *site) follows(changes ...option) {
	s.Helper()
	for _, change := range changes {
		change(&s.config)
	}
	if r := s.app.Reload(s.Context()); len(r.Problems)+len(r.Restart) > 0 {
		s.Fatalf("the reload says %q, and to restart for %q", r.Problems, r.Restart)
	}
}

// restart stops the application and starts it on the same data.
func (s *site) restart() {
	s.Helper()
	s.stop()
	s.run()
}

func (s *site) listen() net.Listener {
	s.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		s.Fatal(err)
	}
	return l
}

// operator creates an account as `portico user create` does.
func (s *site) operator(address, password string) account.Account {
	s.Helper()
	a, err := s.app.Operator.CreateUser(s.Context(), flow.ByOperator, address, "", password)
	if err != nil {
		s.Fatal(err)
	}
	return a
}

// two creates two accounts and returns their addresses.
func (s *site) two() (mara, noah string) {
	s.Helper()
	mara, noah = fresh("mara"), fresh("noah")
	s.operator(mara, good)
	s.operator(noah, good)
	return mara, noah
}

// disable disables an account as `portico user disable` does.
func (s *site) disable(address string) {
	s.Helper()
	a, err := s.app.Operator.User(s.Context(), address)
	if err == nil {
		err = s.app.Operator.SetUserState(s.Context(), flow.ByOperator, a.ID, account.DisabledByOperator)
	}
	if err != nil {
		s.Fatal(err)
	}
}

// settle waits until the outbox has sent every email, and every event was sent or has failed once.
func (s *site) settle() {
	s.Helper()
	for deadline := time.Now().Add(testform.Patience); ; time.Sleep(2 * time.Millisecond) {
		waiting := -1
		err := s.app.Store.Read(s.Context(), func(tx *store.Tx) error {
			counts, err := tx.CountMessages(s.Context())
			waiting = counts.Of().Waiting
			for _, hook := range s.config.Webhooks {
				events, failed := tx.Deliveries(s.Context(), hook.Name, "", 100)
				err = errors.Join(err, failed)
				for _, e := range events {
					if e.State == webhook.Waiting && e.TriedAt.IsZero() {
						waiting++
					}
				}
			}
			return err
		})
		switch {
		case err != nil:
			s.Fatal(err)
		case waiting == 0:
			return
		case time.Now().After(deadline):
			s.Fatalf("%d emails and events are still waiting", waiting)
		}
	}
}

// tinyScreens returns documents that hold only the data.
func tinyScreens() fs.FS {
	return screentest.Documents(`<!doctype html><title>{{html .screen}}</title><p>{{html .errors.form}}{{html .values.email}}</p><script type="application/json">{{.boot}}</script>`)
}

// trace records every address that a browser of the site has requested or was
// redirected to. Histories, proxies and Referer headers would hold them.
type trace struct {
	mu   sync.Mutex
	seen []string
}

func (t *trace) add(addresses ...string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.seen = append(t.seen, addresses...)
}

func (t *trace) all() []string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return slices.Clone(t.seen)
}

// serial makes names unique over all tests.
var serial atomic.Int64

// fresh returns an address that no test has used.
func fresh(name string) string { return name + strconv.FormatInt(serial.Add(1), 10) + "@x.test" }

// certificate makes one self-signed certificate for all tests.
var certificate = sync.OnceValues(func() (tls.Certificate, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return tls.Certificate{}, err
	}
	template := x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "portico.test"}, DNSNames: []string{"portico.test"},
		NotBefore: time.Now().AddDate(-3, 0, 0), NotAfter: time.Now().AddDate(3, 0, 0),
	}
	der, err := x509.CreateCertificate(rand.Reader, &template, &template, key.Public(), key)
	return tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key}, err
})

func serverTLS(t *testing.T) *tls.Config {
	t.Helper()
	c, err := certificate()
	if err != nil {
		t.Fatal(err)
	}
	// The default key exchange takes most of the processor time of a handshake.
	return &tls.Config{Certificates: []tls.Certificate{c}, NextProtos: []string{"http/1.1"}, CurvePreferences: []tls.CurveID{tls.X25519}}
}

// brand sets the operator's name and picture.
func brand(name, logo string) option {
	return func(c *config.Config) { c.Brand = config.Brand{Name: name, Logo: logo} }
}

func writeFile(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}
