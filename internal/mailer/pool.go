package mailer

import (
	"context"
	"sync"
	"time"
)

const (
	// idleLimit is shorter than the time that servers wait for a command.
	idleLimit = 10 * time.Second

	// mailsPerConn is below the number of emails that servers accept on one
	// connection.
	mailsPerConn = 50
)

// pool reuses connections, because connecting, TLS and login take two thirds of
// an email's round trips. It holds at most as many connections as emails are
// sent at once.
type pool struct {
	dialer dialer

	mu     sync.Mutex
	idle   []*conn
	closed bool
}

// take returns an idle connection, or opens a new one.
func (p *pool) take(ctx context.Context) (c *conn, reused bool, err error) {
	p.mu.Lock()
	for n := len(p.idle); n > 0 && c == nil; n-- {
		last := p.idle[n-1]
		p.idle = p.idle[:n-1]
		if last.timer.Stop() {
			c = last
		}
	}
	p.mu.Unlock()
	if c != nil {
		return c, true, nil
	}
	c, err = p.dialer.dial(ctx)
	return c, false, err
}

// give makes a connection available for the next email, for at most idleLimit.
func (p *pool) give(c *conn) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed || c.mails >= mailsPerConn {
		go c.quit()
		return
	}
	c.timer = time.AfterFunc(idleLimit, c.quit)
	p.idle = append(p.idle, c)
}

func (p *pool) close() {
	p.mu.Lock()
	idle := p.idle
	p.idle, p.closed = nil, true
	p.mu.Unlock()
	var quitting sync.WaitGroup
	for _, c := range idle {
		if c.timer.Stop() {
			quitting.Go(c.quit)
		}
	}
	quitting.Wait()
}
