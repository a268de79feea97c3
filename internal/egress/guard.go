package egress

import (
	"fmt"
	"io"
	"net/http"
)

// guard is the part of the client that sees whole requests and responses.
type guard struct {
	next     *http.Transport
	allow    map[string]bool // origins
	maxBytes int64
}

// CloseIdleConnections is called by http.Client.CloseIdleConnections.
func (g *guard) CloseIdleConnections() { g.next.CloseIdleConnections() }

func (g *guard) RoundTrip(req *http.Request) (*http.Response, error) {
	if req.URL.Scheme != "https" && !g.allow[origin(req.URL)] {
		if req.Body != nil {
			_ = req.Body.Close()
		}
		return nil, fmt.Errorf("%w: %s is not https", ErrRefused, origin(req.URL))
	}
	resp, err := g.next.RoundTrip(req)
	if err != nil {
		return nil, err
	}
	resp.Body = &capped{body: resp.Body, left: g.maxBytes}
	return resp, nil
}

// capped fails a reader instead of cutting it short: a part of a response must
// never be taken for the whole.
type capped struct {
	body io.ReadCloser
	left int64
}

func (c *capped) Read(p []byte) (int, error) {
	// One byte more than is left tells a response of exactly the limit from a
	// longer one.
	if int64(len(p)) > c.left+1 {
		p = p[:c.left+1]
	}
	n, err := c.body.Read(p)
	if int64(n) > c.left {
		n, c.left = int(c.left), 0
		return n, ErrTooLarge
	}
	c.left -= int64(n)
	return n, err
}

func (c *capped) Close() error { return c.body.Close() }
