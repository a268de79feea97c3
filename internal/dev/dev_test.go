package dev_test

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"net"
	"net/http"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"portico/internal/account"
	"portico/internal/app"
	"portico/internal/config"
	"portico/internal/dev"
	"portico/internal/flow"
	"portico/web"
)

const published = "copper lantern seven hills"

// settings returns the configuration of the environment, with its data in a
// folder and without fixed ports.
func settings(t *testing.T, folder string, environ ...string) config.Config {
	t.Helper()
	if !strings.Contains(strings.Join(environ, " "), "PORTICO_LISTEN=") {
		environ = append(environ, "PORTICO_LISTEN=127.0.0.1:0")
	}
	cfg, err := config.Load("", append([]string{
		"PORTICO_DATABASE_URL=sqlite:" + filepath.Join(folder, "portico.db"),
		"PORTICO_SECRET_FILE=" + filepath.Join(folder, "secret.key"),
	}, environ...))
	if err != nil {
		t.Fatal(err)
	}
	return cfg
}

// start runs until everything is ready, and returns what was printed. stop ends
// it. If the start fails, err is the error of Run.
func start(t *testing.T, cfg config.Config, options ...dev.Options) (printed string, stop func(), failed error) {
	t.Helper()
	if _, err := fs.Stat(web.Dist, "documents/manifest.json"); err != nil {
		t.Skip("the screens are not built")
	}
	ctx, cancel := context.WithCancel(t.Context())
	read, write := io.Pipe()
	ended := make(chan error, 1)
	go func() {
		err := dev.Run(ctx, cfg, append(options, dev.Options{})[0], slog.New(slog.DiscardHandler), write)
		_ = write.Close()
		ended <- err
	}()
	for lines := bufio.NewScanner(read); lines.Scan(); {
		printed += lines.Text() + "\n"
		if strings.Contains(printed, "Stop with Ctrl-C.") {
			return printed, func() {
				cancel()
				if err := <-ended; err != nil {
					t.Error(err)
				}
			}, nil
		}
	}
	cancel()
	return printed, func() {}, <-ended
}

// Other machines never reach the mailbox and the accounts with a published
// password.
func TestRun_OnThisMachineOnly(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ set, want string }{
		{"PORTICO_LISTEN=0.0.0.0:0", "environment: PORTICO_LISTEN: "},
		{"PORTICO_LISTEN=:0", "environment: PORTICO_LISTEN: "},
		{"PORTICO_LISTEN=192.0.2.1:0", "environment: PORTICO_LISTEN: "},
		{"PORTICO_PUBLIC_URL=https://login.example.com", "environment: PORTICO_PUBLIC_URL: "},
		{"PORTICO_PUBLIC_URL=https://localhost", "environment: PORTICO_PUBLIC_URL: "},
	} {
		var out strings.Builder
		err := dev.Run(t.Context(), settings(t, t.TempDir(), c.set), dev.Options{}, slog.New(slog.DiscardHandler), &out)
		if err == nil || !strings.HasPrefix(err.Error(), c.want) || out.Len() > 0 {
			t.Errorf("%s: %v, printed %q", c.set, err, out.String())
		}
	}
}

// The stand-in provider listens where it is told to, and nowhere else.
func TestRun_ProviderPort(t *testing.T) {
	t.Parallel()
	l, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	port := l.Addr().(*net.TCPAddr).Port
	_, stop, err := start(t, settings(t, t.TempDir()), dev.Options{ProviderPort: port})
	stop()
	if err == nil || !strings.Contains(err.Error(), "--provider-port") {
		t.Errorf("on a port that is taken: %v", err)
	}
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	printed, stop, err := start(t, settings(t, t.TempDir()), dev.Options{ProviderPort: port})
	stop()
	if want := fmt.Sprintf("http://localhost:%d (stand-in)", port); err != nil || !strings.Contains(printed, want) {
		t.Errorf("%v: %q is not in %s", err, want, printed)
	}
}

// Who opens an app that is not started reads where it should be, and the page opens it when it is there.
func TestRun_NoApp(t *testing.T) {
	t.Parallel()
	const at = "127.0.0.1:1" // no other test takes this port
	printed, stop, err := start(t, settings(t, t.TempDir(), "PORTICO_UPSTREAM=http://"+at, "PORTICO_RULES=public /*"))
	defer stop()
	shown := regexp.MustCompile(`Your app +(\S+) \(from http://` + at + `\)`).FindStringSubmatch(printed)
	if err != nil || shown == nil {
		t.Fatalf("%v, printed %s", err, printed)
	}
	r, _ := http.NewRequestWithContext(t.Context(), http.MethodGet, shown[1], nil)
	r.Header.Set("Accept", "text/html")
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	page, _ := io.ReadAll(answer.Body)
	if answer.StatusCode != http.StatusBadGateway || !strings.Contains(string(page), "Nothing answers at "+at) || answer.Header.Get("Refresh") != "2" {
		t.Errorf("%d %v %.2000s", answer.StatusCode, answer.Header, page)
	}
}

// A dev server that compiles at the first request is awaited, by the question whether it is there as well.
func TestRun_AppCompiles(t *testing.T) {
	t.Parallel()
	l, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	at := l.Addr().String()
	_ = l.Close()
	printed, stop, err := start(t, settings(t, t.TempDir(), "PORTICO_UPSTREAM=http://"+at, "PORTICO_RULES=public /*"))
	defer stop()
	shown := regexp.MustCompile(`Your app +(\S+) `).FindStringSubmatch(printed)
	if err != nil || shown == nil {
		t.Fatalf("%v, printed %s", err, printed)
	}
	status := func() int {
		r, err := http.Get(shown[1])
		if err != nil {
			t.Fatal(err)
		}
		_ = r.Body.Close()
		return r.StatusCode
	}
	for range 3 { // after which Portico asks
		if got := status(); got != http.StatusBadGateway {
			t.Errorf("without an app: %d", got)
		}
	}
	if l, err = new(net.ListenConfig).Listen(t.Context(), "tcp", at); err != nil {
		t.Fatal(err)
	}
	asked := make(chan error, 20)
	app := &http.Server{ReadHeaderTimeout: time.Minute, Handler: http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		select {
		case <-time.After(6 * time.Second): // longer than portico serve waits
		case <-r.Context().Done():
		}
		asked <- r.Context().Err()
	})}
	defer func() { _ = app.Close() }()
	go func() { _ = app.Serve(l) }()
	if err := <-asked; err != nil {
		t.Fatalf("the question is given up: %v", err)
	}
	got := status()
	for got == http.StatusBadGateway {
		got = status()
	}
	if got != http.StatusOK {
		t.Errorf("an app that compiles: %d", got)
	}
}

// portico dev refuses a production database and does not change it. portico
// serve refuses a database of portico dev.
func TestRun_NotOnARealDatabase(t *testing.T) {
	t.Parallel()
	cfg := settings(t, t.TempDir())
	a, err := app.New(t.Context(), cfg, app.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if err := a.Close(); err != nil {
		t.Fatal(err)
	}
	printed, stop, err := start(t, cfg)
	stop()
	if err == nil || !strings.HasPrefix(err.Error(), "environment: PORTICO_DATABASE_URL: ") || printed != "" {
		t.Errorf("on a real database: %v, printed %q", err, printed)
	}
	a, err = app.New(t.Context(), cfg, app.Options{Existing: true})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = a.Close() }()
	if page, err := a.Operator.People(t.Context(), account.Query{Limit: 10}); err != nil || len(page.People) > 0 {
		t.Errorf("the real database has %d accounts now (%v)", len(page.People), err)
	}

	made := settings(t, t.TempDir())
	_, stop, err = start(t, made)
	stop()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := app.New(t.Context(), made, app.Options{}); err == nil || !strings.Contains(err.Error(), "published password") {
		t.Errorf("served for real: %v", err)
	}
	printed, stop, err = start(t, made)
	stop()
	if err != nil || !strings.Contains(printed, published) {
		t.Errorf("a second time: %v, printed %q", err, printed)
	}
}

// The published password can be one that the settings refuse. The error says whose it is.
func TestRun_RefusedPassword(t *testing.T) {
	t.Parallel()
	_, _, err := start(t, settings(t, t.TempDir(), "PORTICO_PASSWORD_MIN=30"))
	if err == nil || !strings.Contains(err.Error(), "people of portico dev") || !strings.Contains(err.Error(), "password.min") {
		t.Errorf("the error is %v", err)
	}
}

// A second portico dev in the same folder prints only its error.
func TestRun_Twice(t *testing.T) {
	t.Parallel()
	cfg := settings(t, t.TempDir())
	_, stop, err := start(t, cfg)
	if err != nil {
		t.Fatal(err)
	}
	defer stop()
	printed, _, err := start(t, cfg)
	if err == nil || strings.Contains(err.Error(), "\n") || !strings.Contains(err.Error(), "stop it first") || printed != "" {
		t.Errorf("%v, printed %q", err, printed)
	}
}

// The printed lines describe the accounts as they are now.
func TestRun_ChangedPeople(t *testing.T) {
	t.Parallel()
	cfg := settings(t, t.TempDir())
	printed, stop, err := start(t, cfg)
	stop()
	if err != nil || !strings.Contains(printed, published) || strings.Contains(printed, "another password") {
		t.Fatalf("%v, printed %q", err, printed)
	}
	a, err := app.New(t.Context(), cfg, app.Options{Existing: true})
	if err != nil {
		t.Fatal(err)
	}
	change := func(email string) {
		user, err := a.Operator.User(t.Context(), email)
		if err == nil {
			err = a.Operator.SetUserPassword(t.Context(), flow.ByOperator, user, "seven ladders over a canal")
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	again := func() string {
		printed, stop, err := start(t, cfg)
		stop()
		if err != nil {
			t.Fatal(err)
		}
		return printed
	}
	change("mara@example.com")
	if got := again(); !strings.Contains(got, "mara@example.com (has the role admin) (has another password by now)\n") || !strings.Contains(got, published) {
		t.Errorf("printed %q", got)
	}
	change("noah@example.com")
	change("closed@example.com")
	if got := again(); strings.Contains(got, published) {
		t.Errorf("printed %q", got)
	}
	if err := a.Close(); err != nil {
		t.Error(err)
	}
}
