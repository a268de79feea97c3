package faults

import (
	"context"
	"log/slog"
	"net"
	"net/url"
	"path/filepath"
	"testing"

	"portico/internal/app"
	"portico/internal/clock"
	"portico/internal/config"
)

// inside is an application in this process, for faults of its clock and its
// providers.
type inside struct {
	*place
	app *app.App
}

// runInside serves an installation in a new folder until the test ends. change
// may alter its settings.
func runInside(t *testing.T, c clock.Clock, log *slog.Logger, change func(*config.Config)) *inside {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	_, port, _ := net.SplitHostPort(l.Addr().String())
	in := &inside{place: &place{T: t, dir: t.TempDir(), listen: l.Addr().String(), origin: "http://localhost:" + port, mail: newSink(t)}}
	cfg := config.Default()
	cfg.PublicURL = &url.URL{Scheme: "http", Host: "localhost:" + port}
	cfg.DatabaseURL = "sqlite:" + in.databaseFile()
	cfg.SecretFile = filepath.Join(in.dir, "secret.key")
	cfg.SMTPURL, cfg.MailFrom = "smtp://"+in.mail.addr+"?tls=none", "no-reply@portico.test"
	if change != nil {
		change(&cfg)
	}
	if in.app, err = app.New(t.Context(), cfg, app.Options{Clock: c, Log: log}); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- in.app.Run(ctx, app.Listeners{Public: l}) }()
	t.Cleanup(func() {
		cancel()
		if err := <-done; err != nil {
			t.Error(err)
		}
		if err := in.app.Close(); err != nil {
			t.Error(err)
		}
	})
	return in
}
