package mailer

import (
	"context"
	"errors"
	"fmt"
	"net"
	"time"

	"github.com/wneessen/go-mail/smtp"
)

// readLimit is the number of bytes that a server may send during one delivery,
// including its certificates. Real dialogues need a few thousand.
const readLimit = 128 << 10

// conn is one connection to the server. It sends one email at a time.
type conn struct {
	raw    *meter
	client *smtp.Client
	mails  int         // number of emails sent
	timer  *time.Timer // closes the connection after it was idle
}

// bind closes the connection when ctx ends, so that no server can delay a
// delivery. It also resets the read limit. release stops this, and reports
// false if the connection has already been closed.
func (c *conn) bind(ctx context.Context) (release func() bool) {
	c.raw.left = readLimit
	return context.AfterFunc(ctx, func() { _ = c.raw.Close() })
}

// step runs one step of the dialogue within its time limit.
func (c *conn) step(ctx context.Context, name string, limit time.Duration, fn func() error) *Error {
	if err := c.raw.SetDeadline(time.Now().Add(limit)); err != nil {
		return failed(name, err)
	}
	err := fn()
	if err == nil {
		return nil
	}
	if ctx.Err() != nil {
		err = fmt.Errorf("%w: %w", context.Cause(ctx), err)
	}
	return failed(name, err)
}

// send sends one email to one recipient.
func (c *conn) send(ctx context.Context, env envelope) *Error {
	release := c.bind(ctx)
	failure := c.transfer(ctx, env)
	if !release() && failure == nil {
		c.mails = mailsPerConn // accepted, and then closed by ctx: do not reuse it
	}
	return failure
}

func (c *conn) transfer(ctx context.Context, env envelope) *Error {
	c.mails++
	command := func(name string, fn func() error) *Error { return c.step(ctx, name, answerLimit, fn) }
	if failure := command(stepSender, func() error { return c.client.Mail("<" + env.from + ">") }); failure != nil {
		return failure
	}
	if failure := command(stepRecipient, func() error { return c.client.Rcpt("<" + env.to + ">") }); failure != nil {
		return failure
	}
	var content interface {
		Write([]byte) (int, error)
		Close() error
	}
	if failure := command(stepData, func() (err error) { content, err = c.client.Data(); return err }); failure != nil {
		return failure
	}
	// Until the final dot, the server cannot have accepted the email.
	if failure := command(stepContent, func() error { _, err := content.Write(env.content); return err }); failure != nil {
		return failure
	}
	failure := c.step(ctx, stepAccept, acceptLimit, content.Close)
	if failure != nil && failure.Code/100 == 2 {
		return nil // accepted with a code other than 250
	}
	return failure
}

// offer starts an email by naming its sender, and then cancels it.
func (c *conn) offer(ctx context.Context, from string) *Error {
	release := c.bind(ctx)
	defer release()
	failure := c.step(ctx, stepSender, answerLimit, func() error { return c.client.Mail("<" + from + ">") })
	if failure != nil {
		c.abort()
		return failure
	}
	_ = c.step(ctx, stepSender, answerLimit, c.client.Reset) // ignore the reply: closing the connection cancels too
	return nil
}

// stale reports whether a reused connection was closed before the email was
// started.
func (e *Error) stale() bool {
	return e.Step == stepSender && (e.Code == 0 || e.Code == 421)
}

// abort closes the connection without QUIT.
func (c *conn) abort() { _ = c.raw.Close() }

// quit sends QUIT and closes the connection.
func (c *conn) quit() {
	if c.raw.SetDeadline(time.Now().Add(quitLimit)) == nil {
		_ = c.client.Quit() // ignore the reply: the connection is closed in any case
	}
	c.abort()
}

// meter is a connection that limits the number of bytes read.
type meter struct {
	net.Conn
	left int
}

var errTooMuch = errors.New("the server sends more data than a mail server needs to")

func (m *meter) Read(p []byte) (int, error) {
	if m.left <= 0 {
		return 0, errTooMuch
	}
	n, err := m.Conn.Read(p[:min(len(p), m.left)])
	m.left -= n
	return n, err
}
