package doctor

import (
	"encoding/json"
	"errors"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"

	"github.com/emersion/go-sasl"
	"github.com/emersion/go-smtp"

	"portico/internal/app"
	"portico/internal/apptest"
	"portico/internal/clock"
	"portico/internal/config"
	"portico/internal/dev/idp"
)

// mailServer is an SMTP server that records the commands about emails.
type mailServer struct {
	addr string
	mu   sync.Mutex
	said []string
}

func newMailServer(t *testing.T) *mailServer {
	t.Helper()
	ln := listen(t)
	m := &mailServer{addr: ln.Addr().String()}
	server := smtp.NewServer(smtp.BackendFunc(func(*smtp.Conn) (smtp.Session, error) { return delivery{m}, nil }))
	server.Domain, server.AllowInsecureAuth, server.ErrorLog = "mx.test", true, log.New(io.Discard, "", 0)
	var running sync.WaitGroup
	running.Go(func() { _ = server.Serve(ln) })
	t.Cleanup(func() { _ = ln.Close(); _ = server.Close(); running.Wait() })
	return m
}

func (m *mailServer) note(what string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.said = append(m.said, what)
}

func (m *mailServer) all() string {
	m.mu.Lock()
	defer m.mu.Unlock()
	return strings.Join(m.said, " ")
}

type delivery struct{ *mailServer }

func (delivery) AuthMechanisms() []string { return []string{"PLAIN"} }

func (d delivery) Auth(string) (sasl.Server, error) {
	return sasl.NewPlainServer(func(_, user, password string) error {
		d.note("auth")
		if user != "ada" || password != "hunter2" {
			return smtp.ErrAuthFailed
		}
		return nil
	}), nil
}

func (d delivery) Mail(from string, _ *smtp.MailOptions) error {
	d.note("mail")
	if from != "no-reply@example.org" {
		return &smtp.SMTPError{Code: 553, Message: "not your address"}
	}
	return nil
}

func (d delivery) Rcpt(string, *smtp.RcptOptions) error { d.note("rcpt"); return nil }
func (d delivery) Data(io.Reader) error                 { d.note("data"); return errors.New("no") }
func (d delivery) Reset()                               {}
func (d delivery) Logout() error                        { return nil }

func listen(t *testing.T) net.Listener {
	t.Helper()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	return ln
}

// deaf returns an address without a listener, which no other process can take until the test ends: its
// socket is bound and does not listen.
func deaf(t *testing.T) string {
	t.Helper()
	socket, err := syscall.Socket(syscall.AF_INET, syscall.SOCK_STREAM, 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = syscall.Close(socket) })
	if err := syscall.Bind(socket, &syscall.SockaddrInet4{Addr: [4]byte{127, 0, 0, 1}}); err != nil {
		t.Fatal(err)
	}
	bound, err := syscall.Getsockname(socket)
	if err != nil {
		t.Fatal(err)
	}
	return net.JoinHostPort("127.0.0.1", strconv.Itoa(bound.(*syscall.SockaddrInet4).Port))
}

func serve(t *testing.T, h http.HandlerFunc) *url.URL {
	t.Helper()
	s := httptest.NewServer(h)
	t.Cleanup(s.Close)
	u, err := url.Parse(s.URL)
	if err != nil {
		t.Fatal(err)
	}
	return u
}

// provider returns the test provider of `portico dev`.
func provider(t *testing.T) config.Provider {
	t.Helper()
	var handler http.Handler
	u := serve(t, func(w http.ResponseWriter, r *http.Request) { handler.ServeHTTP(w, r) })
	handler, err := idp.New(idp.Config{Issuer: u.String(), ClientID: "portico", ClientSecret: "hunter3", RedirectURI: "http://localhost/", Clock: clock.System{}})
	if err != nil {
		t.Fatal(err)
	}
	return config.Provider{ID: "corp", Name: "Corp", Preset: "openid", Issuer: u.String(), ClientID: "portico", ClientSecret: "hunter3"}
}

// settings returns a configuration in an empty folder.
func settings(t *testing.T, folder string) config.Config {
	t.Helper()
	cfg := config.Default()
	cfg.PublicURL = &url.URL{Scheme: "http", Host: "localhost:" + port(deaf(t))}
	cfg.OpsListen = deaf(t)
	cfg.DatabaseURL = "sqlite:" + filepath.Join(folder, "portico.db")
	cfg.SecretFile = filepath.Join(folder, "secret.key")
	cfg.SMTPURL = "smtp://ada:hunter2@" + deaf(t) + "?tls=none"
	cfg.MailFrom = "no-reply@example.org"
	return cfg
}

// made creates the key and the database of the settings.
func made(t *testing.T, cfg config.Config) config.Config {
	t.Helper()
	a, err := app.New(t.Context(), cfg, app.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if err := a.Close(); err != nil {
		t.Fatal(err)
	}
	return cfg
}

// settingsOf returns the configuration of a running Site.
func settingsOf(s *apptest.Site) config.Config {
	resp, err := http.Get("http://" + s.Ops + "/readyz")
	if err != nil {
		s.Fatal(err)
	}
	_ = resp.Body.Close()
	cfg := s.Config
	cfg.OpsListen = s.Ops
	return cfg
}

func port(addr string) string {
	_, port, _ := net.SplitHostPort(addr)
	return port
}

// expect checks the findings of one check, and that no finding contains a
// secret.
func expect(t *testing.T, cfg config.Config, check string, state State, words string) {
	t.Helper()
	holds(t, Examine(t.Context(), cfg, nil), check, state, words)
}

func holds(t *testing.T, found []Finding, check string, state State, words string) {
	t.Helper()
	text, err := json.Marshal(found)
	if err != nil || strings.Contains(string(text), "hunter") {
		t.Errorf("a secret is shown, or %v: %s", err, text)
	}
	var of []string
	for _, f := range found {
		if f.Check != check {
			continue
		}
		if f.State == state && strings.Contains(f.String(), words) && (f.State != Failed && f.State != Warning || f.Do != "") {
			return
		}
		of = append(of, f.String())
	}
	t.Errorf("%s: want %s with %q and what to do, got\n%s", check, state, words, strings.Join(of, "\n"))
}
