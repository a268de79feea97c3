package app

import (
	"context"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"

	"go.uber.org/goleak"

	"portico/internal/account"
	"portico/internal/config"
	"portico/internal/flow"
	"portico/internal/screentest"
	"portico/internal/secret"
	"portico/internal/store/pgtest"
)

const good = "copper lantern over seven hills"

// No goroutine of an App may outlive its Close.
func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// settings returns a configuration in a folder of its own.
func settings(t testing.TB, folder string) config.Config {
	t.Helper()
	cfg := config.Default()
	cfg.PublicURL = &url.URL{Scheme: "http", Host: "localhost"}
	cfg.Hashing.MemoryMiB, cfg.Hashing.Passes = 1, 1 // the default takes most of the time of these tests
	cfg.Listen, cfg.OpsListen = "127.0.0.1:0", "127.0.0.1:0"
	cfg.DatabaseURL = pgtest.Chosen(t, filepath.Join(folder, "portico.db"))
	cfg.SecretFile = filepath.Join(folder, "secret.key")
	if !onSQLite(cfg) { // SQLite creates its key itself
		if _, err := secret.CreateKey(cfg.SecretFile); err != nil {
			t.Fatal(err)
		}
	}
	return cfg
}

// settingsOnPostgres returns settings with a PostgreSQL database of its own, or skips
// the test where there is no server.
func settingsOnPostgres(t *testing.T) config.Config {
	t.Helper()
	if os.Getenv(pgtest.Server) == "" {
		t.Skip("no PostgreSQL")
	}
	cfg := settings(t, t.TempDir())
	if onSQLite(cfg) {
		cfg.DatabaseURL = pgtest.Empty(t)
		if _, err := secret.CreateKey(cfg.SecretFile); err != nil {
			t.Fatal(err)
		}
	}
	return cfg
}

func onSQLite(cfg config.Config) bool { return strings.HasPrefix(cfg.DatabaseURL, "sqlite:") }

// needSQLite skips a test that only applies to SQLite.
func needSQLite(t *testing.T, cfg config.Config) {
	t.Helper()
	if !onSQLite(cfg) {
		t.Skip("this is about a file")
	}
}

// open builds an App. The test closes it at its end, if it is still open.
func open(t testing.TB, cfg config.Config, options Options) *App {
	t.Helper()
	a, err := New(t.Context(), cfg, options)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// mount builds the handlers, for a test that does not call Run.
func (a *App) mount(t testing.TB) {
	t.Helper()
	l := *a.live.Load()
	var err error
	if l.handlers, err = a.public(&l, handlers{}); err != nil {
		t.Fatal(err)
	}
	a.live.Store(&l)
}

// end closes an App that did not run, and gives back the lease as Run does.
func (a *App) end(t testing.TB) {
	t.Helper()
	if a.Store.Shared() {
		if err := a.release(context.Background()); err != nil {
			t.Error(err)
		}
	}
	if err := a.Close(); err != nil {
		t.Error(err)
	}
}

// dist returns a front end of empty documents.
func dist() fstest.MapFS {
	files := screentest.Documents("<!doctype html><title>Portico</title>")
	files["assets/empty.js"] = &fstest.MapFile{}
	return files
}

// running is an App that serves.
type running struct {
	*App
	public, ops string
	client      *http.Client
	stop        context.CancelFunc
	stopped     chan error
	quit        func() // stops and closes, once
}

// run serves on free ports until stop is called. stopped then receives the
// error of Run. The public URL has the port of the listener.
func run(t testing.TB, a *App) *running {
	t.Helper()
	listeners, err := a.Listen(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	_, port, _ := net.SplitHostPort(listeners.Public.Addr().String())
	a.Config.PublicURL = &url.URL{Scheme: "http", Host: "localhost:" + port}
	ctx, cancel := context.WithCancel(context.Background())
	r := &running{
		App: a, public: a.Config.PublicURL.String(), ops: "http://" + listeners.Ops.Addr().String(),
		client: &http.Client{Transport: &http.Transport{}}, stop: cancel, stopped: make(chan error, 1),
	}
	t.Cleanup(r.client.CloseIdleConnections)
	t.Cleanup(cancel)
	go func() { r.stopped <- a.Run(ctx, listeners) }()
	return r
}

// get returns the status and text of a response, or 0 if there is none.
func (r *running) get(address string) (int, string) {
	response, err := r.client.Get(address)
	if err != nil {
		return 0, err.Error()
	}
	defer response.Body.Close()
	body, _ := io.ReadAll(response.Body)
	return response.StatusCode, strings.TrimSpace(string(body))
}

// signIn returns a caller with a session.
func (a *App) signIn(t testing.TB, address string) flow.Caller {
	t.Helper()
	c := flow.Caller{Peer: "192.0.2.1", Locale: "en"}
	r, err := a.Flows.SignIn(t.Context(), c, flow.SignInInput{Email: address, Password: good})
	if err != nil {
		t.Fatal(err)
	}
	c.Session = r.Session.Value
	return c
}

func (a *App) create(t testing.TB, address string) account.Account {
	t.Helper()
	user, err := a.Operator.CreateUser(t.Context(), flow.ByOperator, address, "", good)
	if err != nil {
		t.Fatal(err)
	}
	return user
}
