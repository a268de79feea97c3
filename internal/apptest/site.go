package apptest

import (
	"context"
	"io/fs"
	"log/slog"
	"net"
	"net/url"
	"path/filepath"
	"testing"
	"testing/fstest"
	"time"

	"portico/internal/app"
	"portico/internal/clock"
	"portico/internal/config"
	"portico/internal/flow"
	"portico/internal/logtest"
	"portico/internal/outbox"
	"portico/internal/screentest"
	"portico/internal/testform"
)

// Password satisfies every password rule.
const Password = "copper lantern over seven hills"

// Site is a Portico that serves on a loopback port until the test ends.
type Site struct {
	testing.TB
	*app.App
	Clock  *clock.Manual
	Origin string // as browsers send it
	Addr   string // host:port of the public listener
	Ops    string // host:port of the operations listener
	Logged *logtest.Buffer

	mail chan outbox.Message
}

// Start runs a Site. It applies the changes to its configuration first.
func Start(t testing.TB, changes ...func(*config.Config)) *Site {
	t.Helper()
	public, ops := listen(t), listen(t)
	_, port, _ := net.SplitHostPort(public.Addr().String())
	dir := t.TempDir()
	cfg := config.Default()
	cfg.PublicURL = &url.URL{Scheme: "http", Host: "localhost:" + port}
	cfg.DatabaseURL = "sqlite:" + filepath.Join(dir, "portico.db")
	cfg.SecretFile = filepath.Join(dir, "secret.key")
	Prepare(t, &cfg)
	for _, change := range changes {
		change(&cfg)
	}
	s := &Site{
		TB: t, Origin: cfg.PublicURL.String(), Addr: public.Addr().String(), Ops: ops.Addr().String(), mail: make(chan outbox.Message, 100),
		Clock: clock.NewManual(Began()), Logged: &logtest.Buffer{},
	}
	a, err := app.New(t.Context(), cfg, app.Options{Clock: s.Clock, Log: slog.New(slog.NewJSONHandler(s.Logged, nil)), Dist: documents(), Deliver: s.deliver})
	if err != nil {
		t.Fatal(err)
	}
	s.App = a
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- a.Run(ctx, app.Listeners{Public: public, Ops: ops}) }()
	t.Cleanup(func() {
		cancel()
		if err := <-ended; err != nil {
			t.Error(err)
		}
		if err := a.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}

func listen(t testing.TB) net.Listener {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	return l
}

func (s *Site) deliver(_ context.Context, m outbox.Message) error {
	s.mail <- m
	return nil
}

// NextMail waits for the next email and returns it.
func (s *Site) NextMail() outbox.Message {
	s.Helper()
	select {
	case m := <-s.mail:
		return m
	case <-time.After(testform.Patience):
		s.Fatal("no mail came")
		return outbox.Message{}
	}
}

// Person creates an account with Password and returns its id.
func (s *Site) Person(address string) (id string) {
	s.Helper()
	a, err := s.Operator.CreateUser(s.Context(), flow.ByOperator, address, "", Password)
	if err != nil {
		s.Fatal(err)
	}
	return a.ID
}

// documents returns a front end whose screens print their boot data.
func documents() fs.FS {
	files := screentest.Documents(`<!doctype html><title>{{html .screen}}</title>{{.theme.head}}` +
		`<input name="email" value="{{html .values.email}}"><script type="application/json" id="boot">{{.boot}}</script>`)
	for name, text := range map[string]string{"app.js": "run();run();run()", "app.js.br": "shorter", "reauthenticate.js": "again()", "secret.map": "{}"} {
		files["assets/"+name] = &fstest.MapFile{Data: []byte(text)}
	}
	return files
}
