package server_test

import (
	"bufio"
	"context"
	"io"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"portico/internal/server"
	"portico/internal/testform"
)

// echo responds with the size of the body in bytes.
func echo(w http.ResponseWriter, r *http.Request) error {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		w.WriteHeader(http.StatusBadRequest)
		return nil
	}
	return server.WriteJSON(w, http.StatusOK, map[string]int{"length": len(body)})
}

// TestFraming sends a request with an ambiguous end, followed by a request that
// must not get a response.
func TestFraming(t *testing.T) {
	t.Parallel()
	k := httpsKit(t)
	k.Handle("POST /form", echo)
	k.Handle("POST /stream", echo, server.Streaming)
	k.Handle("GET /smuggled", ok)
	addr := k.listen(t)
	const smuggled = "GET /smuggled HTTP/1.1\r\nHost: portico.test\r\n\r\n"
	cases := []struct {
		name, path, headers, body string
		status                    int // of the first response, which must be the only one
	}{
		{"length and chunks", "/form", "Content-Length: 4\r\nTransfer-Encoding: chunked\r\n", "0\r\n\r\n" + smuggled, 411},
		{"chunks and length", "/form", "Transfer-Encoding: chunked\r\nContent-Length: 60\r\n", "0\r\n\r\n" + smuggled, 411},
		{"chunks alone", "/form", "Transfer-Encoding: chunked\r\n", "0\r\n\r\n" + smuggled, 411},
		{"length and chunks to a stream", "/stream", "Content-Length: 4\r\nTransfer-Encoding: chunked\r\n", "0\r\n\r\n" + smuggled, 200},
		{"two lengths", "/form", "Content-Length: 0\r\nContent-Length: 5\r\n", smuggled, 400},
		{"a list of lengths", "/form", "Content-Length: 0, 5\r\n", smuggled, 400},
		{"a signed length", "/form", "Content-Length: +0\r\n", smuggled, 400},
		{"a negative length", "/form", "Content-Length: -1\r\n", smuggled, 400},
		{"chunked twice", "/form", "Transfer-Encoding: chunked, chunked\r\n", smuggled, 501},
		{"chunked and identity", "/form", "Transfer-Encoding: chunked, identity\r\n", smuggled, 501},
		{"xchunked", "/form", "Transfer-Encoding: xchunked\r\n", smuggled, 501},
		{"a blank before the colon", "/form", "Transfer-Encoding : chunked\r\n", smuggled, 400},
		{"a bare line feed in a chunk", "/stream", "Transfer-Encoding: chunked\r\n", "1;x\nA\r\n0\r\n\r\n" + smuggled, 400},
		{"NUL in a header", "/form", "X: a\x00b\r\n", smuggled, 400},
		{"two hosts", "/form", "Host: evil.test\r\nContent-Length: 0\r\n", smuggled, 400},
		{"a body that is too large", "/form", "Content-Length: 16385\r\n", strings.Repeat("x", 16385) + smuggled, 413},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			head := "POST " + c.path + " HTTP/1.1\r\nHost: portico.test\r\nOrigin: https://portico.test\r\n"
			answers := raw(t, addr, head+c.headers+"\r\n"+c.body, 2)
			if len(answers) != 1 || answers[0].StatusCode != c.status {
				t.Fatalf("answers %v, want one %d", answers, c.status)
			}
		})
	}
	both := "POST /form HTTP/1.1\r\nHost: portico.test\r\nOrigin: https://portico.test\r\nContent-Length: 2\r\n\r\nab" + strings.Replace(smuggled, "\r\n\r\n", "\r\nConnection: close\r\n\r\n", 1)
	if answers := raw(t, addr, both, 2); len(answers) != 2 || answers[0].StatusCode != 200 || answers[1].StatusCode != 200 {
		t.Errorf("two clean requests on one connection: %v", answers)
	}
}

func TestHTTP2IsOff(t *testing.T) {
	t.Parallel()
	k := httpsKit(t)
	k.Handle("GET /ok", ok)
	addr := k.listen(t)
	if answers := raw(t, addr, "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", 1); len(answers) != 1 || answers[0].ProtoMajor != 1 || answers[0].StatusCode < 400 {
		t.Errorf("the preface of HTTP/2: %v, want an error of HTTP/1.1", answers)
	}
	upgrade := "GET /ok HTTP/1.1\r\nHost: portico.test\r\nConnection: Upgrade, HTTP2-Settings, close\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABkAAQAAP__\r\n\r\n"
	if answers := raw(t, addr, upgrade, 1); len(answers) != 1 || answers[0].StatusCode != 200 {
		t.Errorf("an upgrade to h2c: %v, want it ignored", answers)
	}
}

func TestHugeHeader(t *testing.T) {
	t.Parallel()
	k := httpsKit(t)
	k.Handle("GET /ok", ok)
	addr := k.listen(t)
	for _, header := range []string{"X: " + strings.Repeat("a", 64<<10), strings.Repeat("X: a\r\n", 20_000) + "X: a", "Authorization: Bearer " + strings.Repeat(".", 1<<20)} {
		answers := raw(t, addr, "GET /ok HTTP/1.1\r\nHost: portico.test\r\n"+header+"\r\n\r\n", 2)
		if len(answers) > 1 || len(answers) == 1 && answers[0].StatusCode != 431 {
			t.Errorf("%.20s: answers %v, want 431", header, answers)
		}
	}
}

// This test uses a fake clock, so it does not wait.
func TestServe_Timeouts(t *testing.T) {
	t.Parallel()
	const whole = "GET /stuck HTTP/1.1\r\nHost: portico.test\r\nConnection: close\r\n\r\n"
	const noBody = "POST /form HTTP/1.1\r\nHost: portico.test\r\nOrigin: https://portico.test\r\nContent-Length: 9\r\n\r\n"
	cases := []struct {
		name, sent string
		after      time.Duration
		answer     string // beginning of the response
	}{
		{"a header that never ends", "GET / HTTP/1.1\r\nHost: portico.test\r\n", 5 * time.Second, ""},
		{"a short body that never comes", noBody, 7 * time.Second, "HTTP/1.1 400"},
		{"a long body that never comes", strings.Replace(noBody, " 9\r", " 16384\r", 1), 15 * time.Second, "HTTP/1.1 400"},
		{"a long body after a refusal", strings.Replace(noBody, "/form", "/refused", 1), 7 * time.Second, "HTTP/1.1 404"},
		{"an upload that never comes", strings.Replace(strings.Replace(noBody, "/form", "/upload", 1), " 9\r", " 8388608\r", 1), 60 * time.Second, "HTTP/1.1 400"},
		{"an unwanted upload that never comes", strings.Replace(strings.Replace(noBody, "/form", "/unwanted", 1), " 9\r", " 8388608\r", 1), 15 * time.Second, "HTTP/1.1 404"},
		{"a handler that never ends", whole, 20 * time.Second, "HTTP/1.1 503"},
		{"no next request", "GET /ok HTTP/1.1\r\nHost: portico.test\r\n\r\n", 75 * time.Second, "HTTP/1.1 200"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				k := httpsKit(t)
				k.Handle("GET /ok", ok)
				k.Handle("POST /form", echo)
				k.Handle("POST /refused", func(http.ResponseWriter, *http.Request) error { return server.RouteMissing }, server.Streaming)
				k.Handle("POST /upload", echo, server.Upload(8<<20))
				k.Handle("POST /unwanted", func(w http.ResponseWriter, r *http.Request) error {
					server.Discard(w, r)
					return server.RouteMissing
				}, server.Upload(8<<20))
				k.Handle("GET /stuck", func(_ http.ResponseWriter, r *http.Request) error {
					<-r.Context().Done()
					return r.Context().Err()
				})
				ours, theirs := net.Pipe()
				l := &oneConn{conn: ours, closed: make(chan struct{})}
				ctx, stop := context.WithCancel(t.Context())
				done := make(chan error, 1)
				go func() {
					done <- server.Serve(ctx, server.NewServer(k, slog.New(slog.DiscardHandler)), l, 0, time.Second)
				}()
				began := time.Now()
				go func() { _, _ = io.WriteString(theirs, c.sent) }()
				answer, _ := io.ReadAll(theirs)
				if took := time.Since(began); took < c.after-time.Second || took > c.after+time.Second {
					t.Errorf("closed after %s, want %s", took, c.after)
				}
				if !strings.HasPrefix(string(answer), c.answer) || c.answer == "" && len(answer) > 0 {
					t.Errorf("answer %.60q, want %s", answer, c.answer)
				}
				stop()
				if err := <-done; err != nil {
					t.Errorf("Serve: %v", err)
				}
			})
		})
	}
}

// A slow connection gets a minute for a file, and its answer after that.
func TestServe_SlowUpload(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		k := httpsKit(t)
		k.Handle("POST /upload", func(w http.ResponseWriter, r *http.Request) error {
			if _, err := io.Copy(io.Discard, r.Body); err != nil {
				return err
			}
			select {
			case <-r.Context().Done():
				return r.Context().Err()
			case <-time.After(15 * time.Second):
				return ok(w, r)
			}
		}, server.Upload(8<<20))
		ours, theirs := net.Pipe()
		l := &oneConn{conn: ours, closed: make(chan struct{})}
		ctx, stop := context.WithCancel(t.Context())
		done := make(chan error, 1)
		go func() {
			done <- server.Serve(ctx, server.NewServer(k, slog.New(slog.DiscardHandler)), l, 0, time.Second)
		}()
		go func() {
			_, _ = io.WriteString(theirs, "POST /upload HTTP/1.1\r\nHost: portico.test\r\nOrigin: https://portico.test\r\nConnection: close\r\nContent-Length: 1048576\r\n\r\n")
			for range 50 {
				time.Sleep(time.Second)
				_, _ = io.WriteString(theirs, strings.Repeat("x", 1<<20/50))
			}
			_, _ = io.WriteString(theirs, strings.Repeat("x", 1<<20%50))
		}()
		if answer, _ := io.ReadAll(theirs); !strings.HasPrefix(string(answer), "HTTP/1.1 200") {
			t.Errorf("answer %.60q", answer)
		}
		stop()
		if err := <-done; err != nil {
			t.Errorf("Serve: %v", err)
		}
	})
}

// oneConn is a listener with one connection.
type oneConn struct {
	conn   net.Conn
	closed chan struct{}
}

func (l *oneConn) Accept() (net.Conn, error) {
	if c := l.conn; c != nil {
		l.conn = nil
		return c, nil
	}
	<-l.closed
	return nil, net.ErrClosed
}
func (l *oneConn) Close() error   { close(l.closed); return nil }
func (l *oneConn) Addr() net.Addr { return &net.UnixAddr{Name: "pipe"} }

func TestServe_LetsRequestsEnd(t *testing.T) {
	t.Parallel()
	for name, grace := range map[string]time.Duration{"in time": time.Minute, "cut off": time.Millisecond} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			k := httpsKit(t)
			began, finish := make(chan struct{}), make(chan struct{})
			k.Handle("GET /slow", func(w http.ResponseWriter, r *http.Request) error {
				close(began)
				<-finish
				return ok(w, r)
			})
			l, err := net.Listen("tcp", "127.0.0.1:0")
			if err != nil {
				t.Fatal(err)
			}
			ctx, stop := context.WithCancel(t.Context())
			served := make(chan error, 1)
			go func() { served <- server.Serve(ctx, server.NewServer(k, slog.New(slog.DiscardHandler)), l, 0, grace) }()
			answered := make(chan int, 1)
			go func() {
				answers := raw(t, l.Addr(), "GET /slow HTTP/1.1\r\nHost: portico.test\r\n\r\n", 1)
				answered <- len(answers)
			}()
			<-began
			stop()
			if grace == time.Minute {
				close(finish)
				if err := <-served; err != nil || <-answered != 1 {
					t.Errorf("Serve: %v; want the request answered and no error", err)
				}
				return
			}
			if err := <-served; err == nil || <-answered != 0 {
				t.Errorf("Serve: %v; want the request cut off and an error", err)
			}
			close(finish)
		})
	}
}

// A server that is told to stop still accepts requests for the announced time, also when no
// connection is open, and asks each client to close its connection. Then it accepts none.
func TestServe_Drains(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		k := httpsKit(t)
		k.Handle("GET /ok", ok)
		l := &dialed{conns: make(chan net.Conn), closed: make(chan struct{})}
		ctx, stop := context.WithCancel(t.Context())
		done := make(chan error, 1)
		go func() {
			done <- server.Serve(ctx, server.NewServer(k, slog.New(slog.DiscardHandler)), l, time.Minute, time.Minute)
		}()
		if l.ask(t).Close {
			t.Error("a connection ends before the server is told to stop")
		}
		stop()
		synctest.Wait() // all connections are idle or closed
		for range 59 {
			time.Sleep(time.Second)
			if !l.ask(t).Close {
				t.Error("the client does not learn that its connection ends")
			}
		}
		began := time.Now()
		if err := <-done; err != nil || time.Since(began) > 2*time.Second {
			t.Errorf("Serve: %v, %v after the drain", err, time.Since(began))
		}
		if _, open := <-l.closed; open {
			t.Error("the listener is still open")
		}
	})
}

// dialed is a listener to which a test connects.
type dialed struct {
	conns  chan net.Conn
	closed chan struct{}
}

func (l *dialed) Accept() (net.Conn, error) {
	select {
	case c := <-l.conns:
		return c, nil
	case <-l.closed:
		return nil, net.ErrClosed
	}
}
func (l *dialed) Close() error   { close(l.closed); return nil }
func (l *dialed) Addr() net.Addr { return &net.UnixAddr{Name: "pipe"} }

// ask sends a request on a connection of its own, and closes it.
func (l *dialed) ask(t *testing.T) *http.Response {
	t.Helper()
	ours, theirs := net.Pipe()
	defer theirs.Close()
	select {
	case l.conns <- ours:
	case <-l.closed:
		t.Fatal("the connection is refused")
	}
	if _, err := io.WriteString(theirs, "GET /ok HTTP/1.1\r\nHost: portico.test\r\n\r\n"); err != nil {
		t.Fatal(err)
	}
	answer, err := http.ReadResponse(bufio.NewReader(theirs), nil)
	if err != nil {
		t.Fatal(err)
	}
	_, _ = io.Copy(io.Discard, answer.Body)
	return answer
}

func TestServe_ReportsAListenerThatFails(t *testing.T) {
	t.Parallel()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	if err := server.Serve(t.Context(), server.NewServer(http.NotFoundHandler(), slog.New(slog.DiscardHandler)), l, 0, time.Second); err == nil {
		t.Error("no error from a closed listener")
	}
}

// A file may have any number of parts. A client that takes none of the first one does not hold it for ever.
func TestDownload(t *testing.T) {
	t.Parallel()
	k := httpsKit(t)
	ended := make(chan error, 1)
	k.Handle("GET /file", func(w http.ResponseWriter, r *http.Request) error {
		if end, limited := r.Context().Deadline(); limited {
			t.Errorf("the handler ends at %v", end)
		}
		_, err := w.Write(make([]byte, 64<<20))
		ended <- err
		return nil
	}, server.Download)
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	s := server.NewServer(k, debugLog(k.log))
	s.WriteTimeout = time.Second
	go func() { _ = s.Serve(l) }()
	t.Cleanup(func() { _ = s.Close() })
	c, err := net.Dial("tcp", l.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	if _, err := io.WriteString(c, "GET /file HTTP/1.1\r\nHost: "+publicHost+"\r\n\r\n"); err != nil {
		t.Fatal(err)
	}
	select {
	case err := <-ended:
		if err == nil {
			t.Error("64 MiB were written to nobody")
		}
	case <-time.After(testform.Patience):
		t.Error("the handler waits for a client that reads nothing")
	}
}
