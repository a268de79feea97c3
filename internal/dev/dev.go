package dev

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/mail"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"portico/internal/app"
	"portico/internal/config"
	"portico/internal/dev/idp"
	"portico/internal/dev/mailbox"
	"portico/internal/pages"
	"portico/internal/secret"
	"portico/internal/server"
)

// Where the data is, unless the settings say otherwise.
const (
	Database   = "portico-data/dev/portico.db"
	SecretFile = "portico-data/dev/secret.key"
)

const (
	mailboxPath = "/dev/mailbox"

	providerID = "example"

	providerPort = 8091
)

// Options are what the settings do not have.
type Options struct {
	// ProviderPort is the port of the stand-in provider. If it is taken, Run fails. With 0, it is
	// 8091, or another one if that is taken.
	ProviderPort int
}

// world is what runs alongside Portico, and the lines to print about it.
type world struct {
	cfg     config.Config
	options Options
	public  net.Listener
	routes  []server.Routes
	beside  []*http.Server // the test provider and the sample app
	time    *moved
	box     *mailbox.Mailbox // nil if the settings have a mail server
	idp     *idp.Provider    // nil if the settings have providers
	serving sync.WaitGroup
	lines   []string
	icons   map[string][]byte // of providers
}

// Run serves until ctx ends. It prints the addresses to out once everything is
// ready. For settings that would let other machines in, the error is of type
// config.Problems.
func Run(ctx context.Context, cfg config.Config, options Options, log *slog.Logger, out io.Writer) (err error) {
	if err := check(cfg); err != nil {
		return err
	}
	w := &world{cfg: cfg, options: options, time: &moved{}}
	if err := w.listen(ctx); err != nil {
		return err
	}
	defer w.stop()
	w.awaitCompilers()
	if err := errors.Join(w.addMailbox(ctx), w.addProvider(ctx), w.addApp(ctx)); err != nil {
		return err
	}
	shown, err := newGallery()
	if err != nil {
		return err
	}
	tests := &tester{public: w.cfg.PublicURL, box: w.box, provider: w.idp, time: w.time}
	w.routes = append(w.routes, shown, tests)
	w.lines = append(w.lines, fmt.Sprintf("%-18s%s%s", "Every screen", w.cfg.PublicURL, galleryPath))
	a, err := app.New(ctx, w.cfg, app.Options{Log: log, Moved: w.time.By, Routes: w.routes, Development: true, Icons: w.icons})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, a.Close()) }()
	tests.app = a
	if err := shown.open(a); err != nil {
		return err
	}
	if err := a.Claim(); err != nil {
		return err
	}
	if err := keepPublicURL(w.cfg); err != nil {
		return err
	}
	people, err := seed(ctx, a)
	if err != nil {
		return err
	}
	base := w.cfg.PublicURL.String()
	fmt.Fprintf(out, "\n  Portico is running.\n\n  %-18s%s\n  %-18s%s\n", "Sign in", base+pages.SignIn, "Sign up", base+pages.SignUp)
	for _, line := range append(w.lines, people...) {
		fmt.Fprintln(out, "  "+line)
	}
	fmt.Fprintln(out, "\n  Stop with Ctrl-C.")
	a.Passwords.MakeRoom()
	return a.Run(ctx, app.Listeners{Public: w.public})
}

// listen opens the configured port. If none is configured, it may use one of
// the next ports. It then completes the settings that depend on the port.
func (w *world) listen(ctx context.Context) (err error) {
	if w.public, err = listenNear(ctx, w.cfg.Listen, w.cfg.IsSet("listen")); err != nil {
		return err
	}
	if w.cfg.PublicURL == nil {
		w.cfg.PublicURL = &url.URL{Scheme: "http", Host: "localhost:" + port(w.public)}
	}
	if !w.cfg.IsSet("database_url") {
		w.cfg.DatabaseURL = "sqlite:" + Database
	}
	if !w.cfg.IsSet("secret_file") {
		w.cfg.SecretFile = SecretFile
	}
	return nil
}

// awaitCompilers lets an app be silent for as long as one response may take: a
// dev server compiles at the first request, and answers nothing meanwhile.
func (w *world) awaitCompilers() {
	w.cfg.Apps = slices.Clone(w.cfg.Apps)
	apps := []*config.App{&w.cfg.App}
	for i := range w.cfg.Apps {
		apps = append(apps, &w.cfg.Apps[i])
	}
	for _, a := range apps {
		if !w.cfg.IsSet(a.Setting("upstream_silence", -1)) {
			a.UpstreamSilence = 0
		}
	}
}

func (w *world) addMailbox(ctx context.Context) error {
	if w.cfg.IsSet("smtp_url") {
		return nil
	}
	box, err := mailbox.Start(ctx, mailbox.Config{Clock: w.time})
	if err != nil {
		return err
	}
	w.box = box
	w.cfg.SMTPURL = "smtp://" + box.SMTPAddr() + "?tls=none"
	if w.cfg.MailFrom == "" {
		w.cfg.MailFrom = (&mail.Address{Name: w.cfg.Brand.Name, Address: "no-reply@portico.example"}).String()
	}
	w.routes = append(w.routes, mounted{mailboxPath, box.Handler(mailboxPath)})
	w.lines = append(w.lines, fmt.Sprintf("%-18s%s%s", "Mailbox", w.cfg.PublicURL, mailboxPath))
	return nil
}

func (w *world) addProvider(ctx context.Context) error {
	if len(w.cfg.Providers) > 0 {
		return nil
	}
	// Use the same port at each start if it is free. The issuer contains the
	// port, and accounts are linked to the issuer.
	asked := cmp.Or(w.options.ProviderPort, providerPort)
	l, err := listenNear(ctx, net.JoinHostPort("127.0.0.1", strconv.Itoa(asked)), w.options.ProviderPort != 0)
	if err != nil {
		return fmt.Errorf("the test identity provider needs a free port, such as --provider-port 8092: %w", err)
	}
	issuer := "http://localhost:" + port(l)
	id, clientSecret := "portico-dev", secret.Token()
	w.idp, err = idp.New(idp.Config{
		Issuer: issuer, ClientID: id, ClientSecret: clientSecret, Clock: w.time,
		RedirectURI: w.cfg.PublicURL.JoinPath(pages.ProviderCallback(providerID)).String(),
	})
	if err != nil {
		return errors.Join(err, l.Close())
	}
	w.serve(l, w.idp)
	w.cfg.Providers = []config.Provider{{
		ID: providerID, Preset: "openid", Name: idp.Name, Issuer: issuer,
		ClientID: id, ClientSecret: clientSecret, TrustEmail: true,
	}}
	w.icons = map[string][]byte{providerID: idp.Icon()}
	w.lines = append(w.lines, fmt.Sprintf("%-18s%s (stand-in)", idp.Name, issuer))
	return nil
}

// addApp puts a sample app behind the gateway, unless the configuration has an
// app.
func (w *world) addApp(ctx context.Context) error {
	for _, a := range w.cfg.Served() {
		if a.Upstream != nil {
			w.lines = append(w.lines, fmt.Sprintf("%-18s%s://%s%s (from %s)", "Your app", w.cfg.PublicURL.Scheme, a.Host, a.Path, a.Upstream))
		}
	}
	if len(w.cfg.Served()) > 0 || w.cfg.IsSet("return_default") {
		return nil
	}
	l, err := listenNear(ctx, "127.0.0.1:0", true)
	if err != nil {
		return err
	}
	w.serve(l, newSample())
	w.cfg.App.Upstream = &url.URL{Scheme: "http", Host: l.Addr().String()}
	w.cfg.App.Rules = sampleRules
	w.lines = append(w.lines, fmt.Sprintf("%-18s%s", "Sample app", w.cfg.PublicURL))
	return nil
}

// serve serves on a listener until stop is called.
func (w *world) serve(l net.Listener, h http.Handler) {
	s := &http.Server{Handler: h, ReadHeaderTimeout: 5 * time.Second}
	w.beside = append(w.beside, s)
	w.serving.Go(func() { _ = s.Serve(l) }) // stop ends it
}

func (w *world) stop() {
	_ = w.public.Close() // Run has closed it, unless the start failed
	for _, s := range w.beside {
		_ = s.Close()
	}
	w.serving.Wait()
}

// listenNear listens at the address. If the port is taken and exact is false,
// it tries the next nine ports, and then any free port.
func listenNear(ctx context.Context, address string, exact bool) (net.Listener, error) {
	var lc net.ListenConfig
	l, err := lc.Listen(ctx, "tcp", address)
	if err == nil || exact {
		return l, err
	}
	host, first, splitErr := net.SplitHostPort(address)
	n, convErr := strconv.Atoi(first)
	if splitErr != nil || convErr != nil {
		return nil, err
	}
	for next := n + 1; next < n+10; next++ {
		if l, err := lc.Listen(ctx, "tcp", net.JoinHostPort(host, strconv.Itoa(next))); err == nil {
			return l, nil
		}
	}
	return lc.Listen(ctx, "tcp", net.JoinHostPort(host, "0"))
}

func port(l net.Listener) string {
	a := l.Addr().String()
	return a[strings.LastIndexByte(a, ':')+1:]
}
