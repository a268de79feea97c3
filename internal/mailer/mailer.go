package mailer

import (
	"context"
	"crypto/x509"
	"errors"
	"fmt"
	"html/template"
	"net/mail"
	"net/netip"
	"net/url"

	"portico/internal/clock"
	"portico/internal/locale"
)

// Config configures a Mailer.
type Config struct {
	Server    Server
	From      string // sender's address, alone or as Name <address>
	PublicURL string // of this installation; for links, EHLO and Message-IDs
	Brand     string // name of the installation in emails
	Catalogue *locale.Catalogue
	Clock     clock.Clock

	// RootCAs are the trusted authorities; nil means the system's.
	RootCAs *x509.CertPool
}

// Mailer writes and sends emails. It is safe for concurrent use.
type Mailer struct {
	from      *mail.Address
	public    *url.URL
	domain    string // host in EHLO and in Message-IDs
	brand     string
	catalogue *locale.Catalogue
	clock     clock.Clock
	html      *template.Template
	pool      *pool
}

// New returns a Mailer. It does not connect. Its errors are written for the
// operator.
func New(cfg Config) (*Mailer, error) {
	from, err := mail.ParseAddress(cfg.From)
	if err != nil || !plainAddress(from.Address) {
		return nil, fmt.Errorf("the sender %q is not an address: write no-reply@example.com or Name <no-reply@example.com>", clean(cfg.From, valueLimit))
	}
	from.Name = clean(from.Name, valueLimit)
	public, err := url.Parse(cfg.PublicURL)
	if err != nil || public.Hostname() == "" || (public.Scheme != "https" && public.Scheme != "http") {
		return nil, errors.New("the public URL is not an http or https URL")
	}
	html, err := parseHTML()
	if err != nil {
		return nil, err
	}
	domain := domainOf(public.Hostname())
	return &Mailer{
		from: from, public: &url.URL{Scheme: public.Scheme, Host: public.Host}, domain: domain,
		brand:     unlink(clean(cfg.Brand, valueLimit)),
		catalogue: cfg.Catalogue, clock: cfg.Clock, html: html,
		pool: &pool{dialer: dialer{server: cfg.Server, domain: domain, roots: cfg.RootCAs}},
	}, nil
}

// domainOf returns the host in SMTP syntax, where an IP address is a literal
// (RFC 5321 4.1.3).
func domainOf(host string) string {
	ip, err := netip.ParseAddr(host)
	switch {
	case err != nil:
		return host
	case ip.Is4():
		return "[" + host + "]"
	}
	return "[IPv6:" + ip.WithZone("").String() + "]"
}

// Send writes an email and sends it to the server. It returns nil once the
// server has accepted it, and otherwise an *Error. It does not outlast ctx.
func (m *Mailer) Send(ctx context.Context, msg Message) error {
	env, err := m.compose(msg)
	if err != nil {
		return failed(stepCompose, err)
	}
	for {
		c, reused, err := m.pool.take(ctx)
		if err != nil {
			return err
		}
		failure := c.send(ctx, env)
		if failure == nil {
			m.pool.give(c)
			return nil
		}
		c.abort()
		if reused && failure.stale() && ctx.Err() == nil {
			continue // the idle connection was closed; the email was not started
		}
		return failure
	}
}

// Check tests the server, its certificate, the credentials and the sender. It
// connects, logs in and names the sender, and sends no email. It returns nil or
// an *Error.
func (m *Mailer) Check(ctx context.Context) error {
	c, err := m.pool.dialer.dial(ctx)
	if err != nil {
		return err
	}
	if failure := c.offer(ctx, m.from.Address); failure != nil {
		return failure
	}
	c.quit()
	return nil
}

// Close closes idle connections. Send remains usable and then closes each
// connection after its email.
func (m *Mailer) Close() { m.pool.close() }
