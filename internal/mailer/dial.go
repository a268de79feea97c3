package mailer

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net"
	"net/textproto"
	"slices"
	"strings"
	"time"

	"github.com/wneessen/go-mail/smtp"
)

// Time limits of one step each. They are far below the minutes of RFC 5321
// 4.5.3.2, because the outbox retries and visitors do not wait minutes for a
// code.
const (
	connectLimit = 10 * time.Second
	answerLimit  = 10 * time.Second // any command
	acceptLimit  = 20 * time.Second // after the content, which the server may scan
	quitLimit    = time.Second
)

// dialer opens connections that are ready to send emails.
type dialer struct {
	server Server
	domain string
	roots  *x509.CertPool
}

// dial connects, starts TLS and logs in.
func (d dialer) dial(ctx context.Context) (*conn, error) {
	raw, err := (&net.Dialer{Timeout: connectLimit}).DialContext(ctx, "tcp", d.server.String())
	if err != nil {
		return nil, failed(stepConnect, err)
	}
	c := &conn{raw: &meter{Conn: raw}}
	release := c.bind(ctx)
	failure := d.begin(ctx, c)
	if !release() && failure == nil {
		failure = failed(stepLogin, context.Cause(ctx))
	}
	if failure != nil {
		c.abort()
		return nil, failure
	}
	return c, nil
}

// begin runs the dialogue up to the login.
func (d dialer) begin(ctx context.Context, c *conn) *Error {
	if addr, ok := c.raw.RemoteAddr().(*net.TCPAddr); d.server.Security == Plain && (!ok || !addr.IP.IsLoopback()) {
		return failed(stepConnect, errors.New("the server is not on this machine and the connection is not encrypted"))
	}
	secure := &tls.Config{ServerName: d.server.Host, RootCAs: d.roots, MinVersion: tls.VersionTLS12}
	wire := net.Conn(c.raw)
	if d.server.Security == ImplicitTLS {
		encrypted := tls.Client(c.raw, secure)
		if failure := c.step(ctx, stepTLS, answerLimit, encrypted.Handshake); failure != nil {
			return failure
		}
		wire = encrypted
	}
	failure := c.step(ctx, stepGreeting, answerLimit, func() (err error) {
		c.client, err = smtp.NewClient(wire, d.server.Host)
		return err
	})
	if failure != nil {
		return failure
	}
	c.client.SkipSMTPUTF8(true) // addresses are ASCII
	if failure := d.hello(ctx, c, secure); failure != nil || d.server.Username == "" {
		return failure
	}
	auth, err := d.auth(c.client)
	if err != nil {
		return failed(stepLogin, err)
	}
	return c.step(ctx, stepLogin, answerLimit, func() error { return c.client.Auth(auth) })
}

// hello introduces Portico, and starts TLS if the server needs it for that. If the server
// refuses EHLO, the client tries HELO (RFC 5321 3.2). With HELO there is neither STARTTLS
// nor a login.
func (d dialer) hello(ctx context.Context, c *conn, secure *tls.Config) *Error {
	var ehlo refused
	c.client.ErrorHandlerRegistry.RegisterHandler(d.server.Host, "ehlo", &ehlo)
	if failure := c.step(ctx, stepHello, answerLimit, func() error { return c.client.Hello(d.domain) }); failure != nil {
		return failure
	}
	if ehlo.err != nil && (d.server.Security == StartTLS || d.server.Username != "") {
		return failed(stepHello, fmt.Errorf("the server refuses EHLO, without which it has neither STARTTLS nor a login: %w", ehlo.err))
	}
	if d.server.Security != StartTLS {
		return nil
	}
	if ok, _ := c.client.Extension("STARTTLS"); !ok {
		return failed(stepTLS, errors.New("the server offers no STARTTLS: use smtps:// if it has a TLS port; emails are not sent unencrypted"))
	}
	failure := c.step(ctx, stepTLS, answerLimit, func() error { return c.client.StartTLS(secure) })
	if ehlo.err != nil {
		return failed(stepHello, ehlo.err) // the second one, inside TLS
	}
	return failure
}

// refused keeps a server's reply to a command that it refuses.
type refused struct{ err error }

// HandleError implements smtp.ResponseErrorHandler.
func (r *refused) HandleError(_, _ string, _ *textproto.Conn, err error) error {
	r.err = err
	return err
}

// auth chooses the login mechanism. The password goes only over verified TLS or
// to this machine.
func (d dialer) auth(client *smtp.Client) (smtp.Auth, error) {
	_, offered := client.Extension("AUTH")
	mechanisms := strings.Fields(offered)
	user, password, host := d.server.Username, d.server.Password, d.server.Host
	unencrypted := d.server.Security == Plain
	switch {
	case slices.Contains(mechanisms, "PLAIN"):
		return smtp.PlainAuth("", user, password, host, unencrypted), nil
	case slices.Contains(mechanisms, "LOGIN"):
		return smtp.LoginAuth(user, password, host, unencrypted), nil
	case slices.Contains(mechanisms, "XOAUTH2"), slices.Contains(mechanisms, "OAUTHBEARER"):
		return nil, errors.New("the server takes only OAuth tokens (XOAUTH2), which Portico does not send: use a relay or another mail account, as docs/operating/mail.md says")
	}
	return nil, errors.New("the server offers no login that Portico supports (PLAIN, LOGIN): remove the credentials from the SMTP URL if it needs none")
}
