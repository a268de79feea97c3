package mailer

import (
	"context"
	"sync"
	"time"
)

const (
	// idleLimit is shorter than servers wait for the next command.
	idleLimit = 10 * time.Second

	// mailsPerConn keeps below what servers accept on one connection.
	mailsPerConn = 50
)

// pool keeps connections for the next mail: connecting, encrypting and logging
// in are two thirds of the round trips of a mail. How many there are is
// bounded by how many mails are sent at a time.
type pool struct {
	dialer dialer

	mu     sync.Mutex
	idle   []*conn
	closed bool
}

// take returns a connection that waits, or a new one.
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

// give keeps the connection for the next mail, for a while.
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
