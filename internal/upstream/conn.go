package upstream

import (
	"bufio"
	"context"
	"errors"
	"math"
	"net"
	"net/http"
	"os"
	"syscall"
	"time"
)

const (
	bufferSize = 4 << 10

	// maxInterim is how many answers of 1xx may come before the answer.
	maxInterim = 16
)

var (
	// errStale says that a connection from before has ended unanswered.
	errStale = errors.New("the app has closed a connection that waited")

	errHeaderTooLarge = errors.New("the header of the answer is too large")
	errTooManyInterim = errors.New("too many interim answers")
	errSwitched       = errors.New("the app changed the protocol without being asked")
)

// conn is a connection to an app, used by one request at a time.
type conn struct {
	tcp       *net.TCPConn
	raw       syscall.RawConn
	client    *Client
	r         *bufio.Reader
	w         *bufio.Writer
	idleSince time.Time
	used      bool // by a request before this one

	// Of the request under way.
	answered bool  // a byte of the answer has come
	inBody   bool  // the header has ended
	left     int64 // bytes that may still be read before that
	due      time.Time
	armed    time.Time // what the system was told; due or before
}

func newConn(client *Client, tcp *net.TCPConn) (*conn, error) {
	c := &conn{tcp: tcp, client: client}
	c.r, c.w = bufio.NewReaderSize(c, bufferSize), bufio.NewWriterSize(tcp, bufferSize)
	var err error
	if c.raw, err = tcp.SyscallConn(); err != nil {
		c.close()
		return nil, err
	}
	return c, nil
}

func (c *conn) close() { _ = c.tcp.Close() } // there is nothing to do about it

// exchange sends the request and reads the header of its answer. The connection
// is the answer's from then on, and nobody's after an error.
func (c *conn) exchange(ctx context.Context, r *Request) (*http.Response, error) {
	stop := context.AfterFunc(ctx, c.close)
	answer, err := c.talk(r)
	if err == nil {
		a := &body{from: answer.Body, conn: c, ctx: ctx, stop: stop, last: answer.Close}
		if answer.Body = a; a.from == http.NoBody {
			a.end()
		}
		return answer, nil
	}
	stop()
	c.close()
	if gone := ctx.Err(); gone != nil {
		return nil, gone
	}
	if c.used && !c.answered && !errors.Is(err, os.ErrDeadlineExceeded) {
		return nil, errStale
	}
	return nil, err
}

func (c *conn) talk(r *Request) (*http.Response, error) {
	if err := c.begin(); err != nil {
		return nil, err
	}
	h := Header{w: c.w}
	h.begin(r)
	r.Header(&h)
	if err := h.end(); err != nil {
		return nil, err
	}
	asked := http.Request{Method: r.Method} // which decides whether the answer has a body
	for range maxInterim {
		answer, err := http.ReadResponse(c.r, &asked)
		switch {
		case err != nil:
			return nil, err
		case answer.StatusCode == http.StatusSwitchingProtocols:
			return nil, errSwitched
		case answer.StatusCode >= http.StatusOK:
			c.inBody, c.left = true, math.MaxInt64
			return answer, nil
		}
		r.Interim(answer.StatusCode, answer.Header)
	}
	return nil, errTooManyInterim
}

// begin sets the limits of a request. Telling the system of a deadline is dear:
// one that is still far away stays, and Read moves it when it comes.
func (c *conn) begin() error {
	c.answered, c.inBody, c.left = false, false, c.client.MaxHeader
	if c.client.Timeout == 0 {
		return nil
	}
	now := time.Now()
	c.due = now.Add(c.client.Timeout)
	if c.armed.Sub(now) < c.client.Timeout/2 {
		return c.arm(c.due)
	}
	return nil
}

func (c *conn) arm(at time.Time) error {
	c.armed = at
	return c.tcp.SetDeadline(at)
}

// Read fills the buffer. A body may take its time: its reader stops when the
// client leaves.
func (c *conn) Read(p []byte) (int, error) {
	if c.left <= 0 {
		return 0, errHeaderTooLarge
	}
	for {
		n, err := c.tcp.Read(p[:min(int64(len(p)), c.left)])
		if n > 0 {
			c.answered = true
			c.left -= int64(n)
		}
		if n > 0 || !errors.Is(err, os.ErrDeadlineExceeded) {
			return n, err
		}
		next := c.due
		if c.inBody {
			next = time.Time{}
		} else if !time.Now().Before(c.due) {
			return 0, err
		}
		if err := c.arm(next); err != nil {
			return 0, err
		}
	}
}
