package security

import (
	"bufio"
	"crypto/tls"
	"io"
	"net"
	"net/http"
	"sync/atomic"
	"testing"
	"time"

	"portico/internal/testform"
)

// accepting hands each connection to a new loopback address to serve, one after the other.
func accepting(t *testing.T, serve func(c net.Conn)) (address string) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = l.Close() })
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			serve(c)
		}
	}()
	return l.Addr().String()
}

// inside is a server that only Portico's machine reaches. It counts its connections and hangs up.
func inside(t *testing.T) (port string, connections *atomic.Int32) {
	t.Helper()
	connections = &atomic.Int32{}
	_, port, _ = net.SplitHostPort(accepting(t, func(c net.Conn) {
		connections.Add(1)
		_ = c.Close()
	}))
	return port, connections
}

// connect opens a connection to the site, for requests that client libraries
// refuse to send.
func (s *site) connect() net.Conn {
	s.Helper()
	c, err := net.Dial("tcp", s.addr)
	if err != nil {
		s.Fatal(err)
	}
	if s.secure {
		c = tls.Client(c, &tls.Config{InsecureSkipVerify: true})
	}
	s.Cleanup(func() { _ = c.Close() })
	if err := c.SetDeadline(time.Now().Add(testform.Patience)); err != nil {
		s.Fatal(err)
	}
	return c
}

// raw sends bytes and returns the answers, until the server closes the
// connection or is silent for a second.
func (s *site) raw(request string) []*answer {
	s.Helper()
	c := s.connect()
	go func() { _, _ = io.WriteString(c, request) }() // the server may close before it has read all
	var answers []*answer
	for r := bufio.NewReader(c); ; {
		if len(answers) > 0 {
			_ = c.SetReadDeadline(time.Now().Add(time.Second))
		}
		resp, err := http.ReadResponse(r, nil)
		if err != nil {
			return answers
		}
		body, _ := io.ReadAll(resp.Body)
		answers = append(answers, &answer{s.visitor(), resp.StatusCode, resp.Header, string(body)})
		if resp.Close {
			return answers
		}
	}
}
