package upstream

import (
	"bufio"
	"errors"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// patience is how long a test waits for what comes at once.
const patience = 30 * time.Second

// script is what an app does with one connection. It ends with its return.
type script func(a *appConn)

// appConn is the app's side of a connection.
type appConn struct {
	*testing.T
	net.Conn
	in *bufio.Reader
}

// request waits for a request and returns it; nil at the end of the connection.
func (a *appConn) request() *http.Request {
	r, err := http.ReadRequest(a.in)
	if err != nil {
		return nil
	}
	return r
}

func (a *appConn) say(text string) { _, _ = io.WriteString(a, text) }

// ended waits until the other side has closed the connection.
func (a *appConn) ended() {
	if _, err := a.in.ReadByte(); err == nil || errors.Is(err, os.ErrDeadlineExceeded) {
		a.Errorf("the connection goes on: %v", err)
	}
}

const okAnswer = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"

// newApp serves one connection after the other by a script each, and returns a
// client for it. A connection too many fails the test.
func newApp(t *testing.T, scripts ...script) *Client {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	var work sync.WaitGroup
	work.Go(func() {
		for n := 0; ; n++ {
			c, err := l.Accept()
			if err != nil {
				return
			}
			if n >= len(scripts) {
				t.Error("a connection too many")
				_ = c.Close()
				continue
			}
			_ = c.SetDeadline(time.Now().Add(patience))
			work.Go(func() {
				defer c.Close()
				scripts[n](&appConn{t, c, bufio.NewReader(c)})
			})
		}
	})
	c := New(Config{
		URL: &url.URL{Scheme: "http", Host: l.Addr().String()}, DialTimeout: patience, Timeout: patience,
		MaxHeader: 8 << 10, MaxIdle: 2, IdleTimeout: time.Minute,
	})
	t.Cleanup(func() {
		c.Close()
		_ = l.Close()
		work.Wait()
	})
	return c
}

func question(method string) *Request {
	return &Request{Method: method, Target: "/a?b=c", Host: "app.test", Header: func(h *Header) { h.Add("Accept", "*/*") }, Interim: func(int, http.Header) {}}
}

// ask asks and reads the whole answer.
func ask(t *testing.T, c *Client, method string) (*http.Response, string) {
	t.Helper()
	answer, err := c.Do(t.Context(), question(method))
	if err != nil {
		t.Fatal(err)
	}
	body, err := io.ReadAll(answer.Body)
	if err != nil {
		t.Fatal(err)
	}
	_ = answer.Body.Close()
	return answer, string(body)
}

func (c *Client) waiting() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return len(c.idle)
}

// answers gives each request the same answer.
func answers(text string) script {
	return func(a *appConn) {
		for a.request() != nil {
			a.say(text)
		}
	}
}

func contains(t *testing.T, err error, text string) {
	t.Helper()
	if err == nil || !strings.Contains(err.Error(), text) {
		t.Errorf("the error is %v, want %q", err, text)
	}
}
