package mailer

import (
	"context"
	"errors"
	"fmt"
	"net"
	"time"

	"github.com/wneessen/go-mail/smtp"
)

// readLimit is how many bytes a server may say while one mail is handed over,
// certificates included. Real dialogues have a few thousand.
const readLimit = 128 << 10

// conn is one connection to the server. One mail at a time is sent on it.
type conn struct {
	raw    *meter
	client *smtp.Client
	mails  int         // handed over so far
	timer  *time.Timer // ends the connection while it waits in the pool
}

// bind makes the end of ctx cut the connection, so that no server can hold a
// delivery longer, until release is called. release reports false when the
// connection has been cut.
func (c *conn) bind(ctx context.Context) (release func() bool) {
	c.raw.left = readLimit
	return context.AfterFunc(ctx, func() { _ = c.raw.Close() })
}

// step runs one step of the dialogue within its limit.
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

// send hands over one mail, to one recipient.
func (c *conn) send(ctx context.Context, env envelope) *Error {
	release := c.bind(ctx)
	failure := c.transfer(ctx, env)
	if !release() && failure == nil {
		c.mails = mailsPerConn // accepted, but cut off since: not to be used again
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
	// Until the final dot the server cannot have accepted anything.
	if failure := command(stepContent, func() error { _, err := content.Write(env.content); return err }); failure != nil {
		return failure
	}
	failure := c.step(ctx, stepAccept, acceptLimit, content.Close)
	if failure != nil && failure.Code/100 == 2 {
		return nil // accepted with another number than 250
	}
	return failure
}

// offer names the sender of a mail that does not follow, and takes it back.
func (c *conn) offer(ctx context.Context, from string) *Error {
	release := c.bind(ctx)
	defer release()
	failure := c.step(ctx, stepSender, answerLimit, func() error { return c.client.Mail("<" + from + ">") })
	if failure != nil {
		c.abort()
		return failure
	}
	_ = c.step(ctx, stepSender, answerLimit, c.client.Reset) // whatever is answered: the end of the connection does it too
	return nil
}

// stale reports that a kept connection turned out to be closed before the mail
// was begun.
func (e *Error) stale() bool {
	return e.Step == stepSender && (e.Code == 0 || e.Code == 421)
}

// abort closes the connection without a word.
func (c *conn) abort() { _ = c.raw.Close() }

// quit says goodbye and closes the connection.
func (c *conn) quit() {
	if c.raw.SetDeadline(time.Now().Add(quitLimit)) == nil {
		_ = c.client.Quit() // whatever is answered: nothing is left to be said
	}
	c.abort()
}

// meter is a connection that lets only so many bytes in.
type meter struct {
	net.Conn
	left int
}

var errTooMuch = errors.New("the server says more than a mail server has to say")

func (m *meter) Read(p []byte) (int, error) {
	if m.left <= 0 {
		return 0, errTooMuch
	}
	n, err := m.Conn.Read(p[:min(len(p), m.left)])
	m.left -= n
	return n, err
}
