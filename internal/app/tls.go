package app

import (
	"context"
	"net/http"
	"net/url"
	"path/filepath"
	"sync"
	"time"

	"portico/internal/certificate"
	"portico/internal/config"
	"portico/internal/egress"
	"portico/internal/origin"
	"portico/internal/server"
)

// acmeTimeout is the time limit of one exchange with an ACME authority.
const acmeTimeout = 30 * time.Second

// buildTLS prepares terminating TLS. Without TLS settings a proxy does that, and
// a.certificates stays nil.
func (a *App) buildTLS() (err error) {
	t := a.Config.TLS
	hosts := func() []string { cfg := a.live.Load().config; return cfg.Hosts() }
	switch {
	case t.ACME:
		way, err := Outgoing(a.Config)
		if err != nil {
			return err
		}
		way.Allow, way.Timeout = []string{origin.Of(t.Directory)}, acmeTimeout
		client, err := egress.New(way)
		if err != nil {
			return err
		}
		a.certificates = certificate.NewACME(certificate.ACMEConfig{
			Directory: t.Directory.String(), Email: t.Email, Folder: filepath.Join(filepath.Dir(a.Config.SecretFile), "certificates"),
			Hosts: hosts, HTTP: client.HTTP(), Now: a.clock.Now, Log: a.log,
		})
	case t.On():
		a.certificates, err = certificate.NewFiles(t.CertFile, t.KeyFile, hosts, a.clock.Now, a.log)
	}
	return err
}

// publicServer returns the server of the public listener.
func (a *App) publicServer() *http.Server {
	if a.certificates == nil {
		return server.NewServer(a, a.log)
	}
	return server.NewTLSServer(a, a.log, a.certificates.TLS())
}

// startTLS keeps the certificates current, and serves the http listener if there
// is one.
func (a *App) startTLS(ctx context.Context, l Listeners, work *sync.WaitGroup) {
	if a.certificates == nil {
		return
	}
	work.Go(func() { a.certificates.Watch(ctx) })
	if l.HTTP == nil {
		return
	}
	handler := server.ToHTTPS(func() map[string]string { return origins(a.live.Load().config) })
	if by, ok := a.certificates.(*certificate.ACME); ok {
		handler = by.Challenges(handler)
	}
	limited := server.Limit(l.HTTP, a.trustedProxies)
	work.Go(func() {
		if err := server.Serve(ctx, server.NewServer(handler, a.log), limited, 0, time.Second); err != nil {
			a.log.Error("the http listener has ended", "error", err)
		}
	})
}

// origins returns the origin of each host, by its name without the port.
func origins(cfg config.Config) map[string]string {
	public := publicURL(cfg)
	all := map[string]string{}
	for _, host := range appHosts(cfg) {
		if u, err := url.Parse(public.Scheme + "://" + host); err == nil {
			all[u.Hostname()] = origin.Of(u)
		}
	}
	all[public.Hostname()] = origin.Of(public)
	return all
}
