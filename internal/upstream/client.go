package upstream

import (
	"context"
	"errors"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"time"
)

// Config is what a Client is built from.
type Config struct {
	URL         *url.URL      // of the app; a Client dials nobody else
	DialTimeout time.Duration // until a connection is open
	Timeout     time.Duration // until the header of an answer is there; 0 for ever
	MaxHeader   int64         // bytes of it, at most
	MaxIdle     int           // connections that wait for a request
	IdleTimeout time.Duration // that they wait
}

// Client asks one app. It is safe for concurrent use.
type Client struct {
	Config
	dialer net.Dialer
	addr   string

	mu     sync.Mutex
	idle   []*conn // the one used last is the last
	closed bool
}

// New returns a Client, which dials nobody yet. It is nil, and takes no request,
// for an app behind TLS, and where a connection cannot be asked whether it is
// silent.
func New(c Config) *Client {
	if !canPeek || c.URL == nil || c.URL.Scheme != "http" {
		return nil
	}
	addr := c.URL.Host
	if c.URL.Port() == "" {
		addr = net.JoinHostPort(c.URL.Hostname(), "80")
	}
	return &Client{Config: c, dialer: net.Dialer{Timeout: c.DialTimeout, KeepAlive: 30 * time.Second}, addr: addr}
}

// Takes reports whether a request that a server has read can be made of a
// Request: it only reads (RFC 9110 9.2.1), has no body, stays with the protocol,
// and calls no header of its own hop-by-hop.
func (c *Client) Takes(r *http.Request) bool {
	switch {
	case c == nil, r.Method != http.MethodGet && r.Method != http.MethodHead,
		r.ContentLength != 0, len(r.TransferEncoding) > 0, r.Trailer != nil:
		return false
	}
	for _, name := range []string{"Upgrade", "Te", "Trailer", "Expect", "Http2-Settings"} {
		if r.Header[name] != nil {
			return false
		}
	}
	options := r.Header["Connection"]
	return len(options) == 0 || len(options) == 1 && (strings.EqualFold(options[0], "keep-alive") || options[0] == "close")
}

// Request is one that only reads and has no body.
type Request struct {
	Method  string // GET or HEAD
	Target  string // path and query
	Host    string
	Header  func(*Header)
	Interim func(status int, h http.Header) // what to do with an answer of 1xx
}

// Do asks. The body of the answer has to be closed; that ends the connection
// unless it was read to its end. A timeout is a net.Error, and an end of ctx its
// error.
func (c *Client) Do(ctx context.Context, r *Request) (*http.Response, error) {
	if old := c.take(); old != nil {
		answer, err := old.exchange(ctx, r)
		if !errors.Is(err, errStale) {
			return answer, err
		}
	}
	tcp, err := c.dialer.DialContext(ctx, "tcp", c.addr)
	if err != nil {
		return nil, errors.Join(ctx.Err(), err)
	}
	fresh, err := newConn(c, tcp.(*net.TCPConn))
	if err != nil {
		return nil, err
	}
	return fresh.exchange(ctx, r)
}

// take returns the connection that was used last, or nil.
func (c *Client) take() *conn {
	for {
		c.mu.Lock()
		last := len(c.idle) - 1
		if last < 0 {
			c.mu.Unlock()
			return nil
		}
		old := c.idle[last]
		c.idle = slices.Delete(c.idle, last, last+1)
		c.mu.Unlock()
		if time.Since(old.idleSince) < c.IdleTimeout && old.silent() {
			return old
		}
		old.close()
	}
}

// put keeps a connection for the next request.
func (c *Client) put(old *conn) {
	old.idleSince = time.Now()
	c.mu.Lock()
	keep := !c.closed && len(c.idle) < c.MaxIdle
	if keep {
		c.idle = append(c.idle, old)
	}
	c.mu.Unlock()
	if !keep {
		old.close()
	}
}

// Tidy ends the connections that have waited too long: somebody has to call it
// now and then.
func (c *Client) Tidy() {
	if c == nil {
		return
	}
	c.mu.Lock()
	n := 0
	for n < len(c.idle) && time.Since(c.idle[n].idleSince) >= c.IdleTimeout {
		n++
	}
	old := slices.Clone(c.idle[:n])
	c.idle = slices.Delete(c.idle, 0, n)
	c.mu.Unlock()
	closeAll(old)
}

// Close ends the connections that wait, and from now on each that would. Requests
// under way go on.
func (c *Client) Close() {
	if c == nil {
		return
	}
	c.mu.Lock()
	idle := c.idle
	c.idle, c.closed = nil, true
	c.mu.Unlock()
	closeAll(idle)
}

func closeAll(conns []*conn) {
	for _, c := range conns {
		c.close()
	}
}
