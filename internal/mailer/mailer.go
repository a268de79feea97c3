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
	"strings"

	"portico/internal/brand"
	"portico/internal/clock"
	"portico/internal/legible"
	"portico/internal/locale"
	"portico/internal/origin"
)

// Config configures a Mailer.
type Config struct {
	Server    Server
	From      string     // sender's address, as Name <address> or alone with the brand as its name
	ReplyTo   string     // address that gets replies; "" if replies are not read
	Imprint   string     // address of the legal notice; "" for none
	Privacy   string     // address of the privacy policy; "" for none
	Terms     string     // address of the terms of use; "" for none
	PublicURL string     // of this installation; for links, EHLO and Message-IDs
	Brand     string     // name of the installation in emails
	Look      brand.Mail // the zero value is the default
	Catalogue *locale.Catalogue
	Clock     clock.Clock

	// RootCAs are the trusted authorities; nil means the system's.
	RootCAs *x509.CertPool
}

// Mailer writes and sends emails. It is safe for concurrent use.
type Mailer struct {
	from      *mail.Address
	replyTo   *mail.Address // nil if replies are not read
	legal     []legalPage
	public    *url.URL
	domain    string // host in EHLO and in Message-IDs
	brand     string
	look      brand.Mail
	catalogue *locale.Catalogue
	clock     clock.Clock
	html      *template.Template
	pool      *pool
}

// legalPage is a page that every email links to, with the key of its name.
type legalPage struct{ key, link string }

// New returns a Mailer. It does not connect. Its errors are written for the
// operator.
func New(cfg Config) (*Mailer, error) {
	from, err := ParseMailbox(cfg.From)
	if err != nil {
		return nil, err
	}
	var replyTo *mail.Address
	if cfg.ReplyTo != "" {
		if replyTo, err = ParseMailbox(cfg.ReplyTo); err != nil {
			return nil, err
		}
	}
	var legal []legalPage
	for _, page := range []legalPage{{"common.imprint", cfg.Imprint}, {"common.privacy", cfg.Privacy}, {"common.terms", cfg.Terms}} {
		if page.link != "" {
			legal = append(legal, page)
		}
	}
	public, err := url.Parse(cfg.PublicURL)
	if err != nil || public.Hostname() == "" || (public.Scheme != "https" && public.Scheme != "http") {
		return nil, errors.New("the public URL is not an http or https URL")
	}
	html, err := parseHTML()
	if err != nil {
		return nil, err
	}
	if cfg.Look == (brand.Mail{}) {
		cfg.Look = brand.Default().Mail()
	}
	domain := domainOf(public.Hostname())
	name := unlink(clean(cfg.Brand, valueLimit))
	if from.Name == "" {
		from.Name = name
	}
	return &Mailer{
		from: from, replyTo: replyTo, legal: legal, public: &url.URL{Scheme: public.Scheme, Host: public.Host}, domain: domain,
		brand: name, look: cfg.Look,
		catalogue: cfg.Catalogue, clock: cfg.Clock, html: html,
		pool: &pool{dialer: dialer{server: cfg.Server, domain: domain, roots: cfg.RootCAs}},
	}, nil
}

// ParseMailbox reads the address of a sender or for replies, alone or as Name <address>. Its
// error is written for the operator.
func ParseMailbox(text string) (*mail.Address, error) {
	const write = "write no-reply@example.com or Example <no-reply@example.com>"
	box, err := mail.ParseAddress(text)
	if err != nil {
		return nil, fmt.Errorf("%q is not an address: "+write, clean(text, valueLimit))
	}
	if err := legible.Check(box.Name); err != nil { // an encoded word (RFC 2047) has hidden it
		return nil, fmt.Errorf("the name has %w: remove it", err)
	}
	if at := strings.LastIndexByte(box.Address, '@'); at >= 0 {
		box.Address = box.Address[:at+1] + origin.ASCIIHost(box.Address[at+1:])
	}
	if !plainAddress(box.Address) {
		return nil, fmt.Errorf("%q is not an address that every mail server accepts: "+write, clean(box.Address, valueLimit))
	}
	box.Name = clean(box.Name, valueLimit)
	return box, nil
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
