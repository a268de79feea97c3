package upstream

import (
	"bufio"
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"strings"
	"testing"
	"time"
)

// Answers of every framing leave the connection to the next request.
func TestDo_Reuse(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct{ method, answer, body string }{
		"a length":           {"GET", okAnswer, "ok"},
		"nothing":            {"GET", "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n", ""},
		"chunks":             {"GET", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n1\r\n!\r\n0\r\n\r\n", "ok!"},
		"chunks and trailer": {"GET", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nTrailer: Sum\r\n\r\n2\r\nok\r\n0\r\nSum: 5\r\n\r\n", "ok"},
		"204":                {"GET", "HTTP/1.1 204 No Content\r\n\r\n", ""},
		"304 with a length":  {"GET", "HTTP/1.1 304 Not Modified\r\nContent-Length: 10\r\n\r\n", ""},
		"HEAD with a length": {"HEAD", "HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\n", ""},
		"HEAD with chunks":   {"HEAD", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n", ""},
		"interim answers":    {"GET", "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n" + okAnswer, "ok"},
		"HTTP/1.0, kept":     {"GET", "HTTP/1.0 200 OK\r\nConnection: keep-alive\r\nContent-Length: 2\r\n\r\nok", "ok"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := newApp(t, answers(tt.answer))
			for range 3 {
				if answer, body := ask(t, c, tt.method); body != tt.body {
					t.Errorf("%d %q, want %q", answer.StatusCode, body, tt.body)
				}
			}
			if n := c.waiting(); n != 1 {
				t.Errorf("%d connections wait", n)
			}
		})
	}
}

// What an app sends after an answer is nobody's answer: in the same packet, or
// later, while the connection waits.
func TestDo_Unasked(t *testing.T) {
	t.Parallel()
	const evil = "HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nevil"
	for name, answer := range map[string]string{
		"a second answer":       okAnswer + evil,
		"a byte":                okAnswer + "x",
		"after HEAD":            "HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nevil",
		"after 304":             "HTTP/1.1 304 Not Modified\r\n\r\n" + evil,
		"after the last chunk":  "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n0\r\n\r\n" + evil,
		"a length and chunks":   "HTTP/1.1 200 OK\r\nContent-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n" + evil,
		"an interim afterwards": okAnswer + "HTTP/1.1 103 Early Hints\r\n\r\n",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			method := "GET"
			if name == "after HEAD" {
				method = "HEAD"
			}
			c := newApp(t, func(a *appConn) {
				a.request()
				a.say(answer)
				a.ended()
			}, answers(okAnswer))
			ask(t, c, method)
			if _, body := ask(t, c, "GET"); body != "ok" {
				t.Errorf("the next one was answered %q", body)
			}
		})
	}
	t.Run("later", func(t *testing.T) {
		t.Parallel()
		answered, said := make(chan struct{}), make(chan struct{})
		c := newApp(t, func(a *appConn) {
			a.request()
			a.say(okAnswer)
			<-answered
			a.say(evil)
			close(said)
			a.ended()
		}, answers(okAnswer))
		ask(t, c, "GET")
		if c.waiting() != 1 {
			t.Fatal("the connection does not wait: what this is about is not tried")
		}
		close(answered)
		<-said
		if _, body := ask(t, c, "GET"); body != "ok" {
			t.Errorf("the next one was answered %q", body)
		}
	})
}

// Connections that end with their answer are not used again.
func TestDo_Last(t *testing.T) {
	t.Parallel()
	for name, answer := range map[string]string{
		"said so":          "HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 2\r\n\r\nok",
		"HTTP/1.0":         "HTTP/1.0 200 OK\r\nContent-Length: 2\r\n\r\nok",
		"no length":        "HTTP/1.1 200 OK\r\n\r\nok",
		"close, no body":   "HTTP/1.1 204 No Content\r\nConnection: close\r\n\r\n",
		"close and others": "HTTP/1.1 200 OK\r\nConnection: x, Close\r\nContent-Length: 2\r\n\r\nok",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			once := func(a *appConn) {
				a.request()
				a.say(answer)
			}
			c := newApp(t, once, once)
			for range 2 {
				ask(t, c, "GET")
				if c.waiting() != 0 {
					t.Error("the connection waits for another request")
				}
			}
		})
	}
}

// An app may close a connection that waits at any moment. Whoever gets it next
// does not notice; the request is sent again only when nothing was answered.
func TestDo_Stale(t *testing.T) {
	t.Parallel()
	once := func(a *appConn) {
		a.request()
		a.say(okAnswer)
	}
	t.Run("closed before", func(t *testing.T) {
		t.Parallel()
		c := newApp(t, once, once)
		ask(t, c, "GET")
		ask(t, c, "GET")
	})
	t.Run("closed by the request", func(t *testing.T) {
		t.Parallel()
		c := newApp(t, func(a *appConn) {
			once(a)
			a.request()
		}, once)
		ask(t, c, "GET")
		ask(t, c, "GET")
	})
	t.Run("half an answer", func(t *testing.T) {
		t.Parallel()
		c := newApp(t, func(a *appConn) {
			once(a)
			a.request()
			a.say("HTTP/1.1 200")
		})
		ask(t, c, "GET")
		if _, err := c.Do(t.Context(), question("GET")); !errors.Is(err, io.ErrUnexpectedEOF) {
			t.Errorf("asked again, or: %v", err)
		}
	})
	t.Run("a new one", func(t *testing.T) {
		t.Parallel()
		c := newApp(t, func(a *appConn) { a.request() })
		if _, err := c.Do(t.Context(), question("GET")); !errors.Is(err, io.ErrUnexpectedEOF) {
			t.Errorf("asked again, or: %v", err)
		}
	})
}

// Answers that are none end the connection.
func TestDo_Refused(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct{ answer, words string }{
		"a huge header":       {"HTTP/1.1 200 OK\r\nA: " + strings.Repeat("a", 9<<10) + "\r\n\r\n", "too large"},
		"huge interim ones":   {strings.Repeat("HTTP/1.1 103 Early Hints\r\nLink: "+strings.Repeat("a", 1<<10)+"\r\n\r\n", 9) + okAnswer, "too large"},
		"many interim ones":   {strings.Repeat("HTTP/1.1 103 Early Hints\r\n\r\n", maxInterim) + okAnswer, "too many"},
		"another protocol":    {"HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: Upgrade\r\n\r\n", "without being asked"},
		"no HTTP":             {"SSH-2.0-OpenSSH_9.2\r\n\r\n", "malformed"},
		"two lengths":         {"HTTP/1.1 200 OK\r\nContent-Length: 2\r\nContent-Length: 3\r\n\r\nok!", "Content-Length"},
		"an unknown encoding": {"HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip\r\n\r\nok", "transfer encoding"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := newApp(t, func(a *appConn) {
				a.request()
				a.say(tt.answer)
				_, _ = io.Copy(io.Discard, a)
			})
			_, err := c.Do(t.Context(), question("GET"))
			contains(t, err, tt.words)
		})
	}
}

// An answer that ends too early is an error, and so is one that is given up.
func TestBody_Broken(t *testing.T) {
	t.Parallel()
	half := func(a *appConn) {
		a.request()
		a.say("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhalf")
	}
	c := newApp(t, half, func(a *appConn) {
		half(a)
		a.ended()
	})
	answer, err := c.Do(t.Context(), question("GET"))
	if err != nil {
		t.Fatal(err)
	}
	if body, err := io.ReadAll(answer.Body); !errors.Is(err, io.ErrUnexpectedEOF) || string(body) != "half" {
		t.Errorf("read %q, %v", body, err)
	}
	if answer, err = c.Do(t.Context(), question("GET")); err != nil {
		t.Fatal(err)
	}
	_ = answer.Body.Close() // the script waits for the end of the connection
	if _, err := answer.Body.Read(make([]byte, 1)); err == nil || c.waiting() != 0 {
		t.Errorf("after Close: %v, %d connections wait", err, c.waiting())
	}
}

// The end of a context ends the connection, before an answer and within it.
func TestDo_Cancelled(t *testing.T) {
	t.Parallel()
	for name, begin := range map[string]string{"before the answer": "", "within it": "HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhalf"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			gone := make(chan struct{})
			c := newApp(t, func(a *appConn) {
				a.request()
				if a.say(begin); begin == "" {
					cancel()
				}
				a.ended()
				close(gone)
			})
			answer, err := c.Do(ctx, question("GET"))
			if begin != "" && err == nil {
				cancel()
				_, err = io.ReadAll(answer.Body)
			}
			if !errors.Is(err, context.Canceled) {
				t.Errorf("the error is %v", err)
			}
			<-gone
		})
	}
}

// Only the header has a time limit. The system's clock is set earlier than that,
// and moved when it rings.
func TestDo_Timeout(t *testing.T) {
	t.Parallel()
	t.Run("no header", func(t *testing.T) {
		t.Parallel()
		c := newApp(t, func(a *appConn) {
			a.request()
			a.ended()
		})
		c.Timeout = 20 * time.Millisecond
		_, err := c.Do(t.Context(), question("GET"))
		var timeout net.Error
		if !errors.As(err, &timeout) || !timeout.Timeout() {
			t.Errorf("the error is %v", err)
		}
	})
	t.Run("a slow body", func(t *testing.T) {
		t.Parallel()
		rung := make(chan struct{})
		c := newApp(t, func(a *appConn) {
			a.request()
			a.say("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n")
			<-rung
			a.say("ok")
			a.request()
			a.say(okAnswer)
		})
		answer, err := c.Do(t.Context(), question("GET"))
		if err != nil {
			t.Fatal(err)
		}
		conn := answer.Body.(*body).conn
		conn.due = time.Unix(1, 0)
		if err := conn.arm(conn.due); err != nil {
			t.Fatal(err)
		}
		time.AfterFunc(time.Millisecond, func() { close(rung) })
		if body, err := io.ReadAll(answer.Body); err != nil || string(body) != "ok" {
			t.Errorf("read %q, %v", body, err)
		}
		ask(t, c, "GET") // the clock of the one before does not ring for it
	})
	t.Run("rung too early", func(t *testing.T) {
		t.Parallel()
		c := newApp(t, answers(okAnswer))
		_, _ = ask(t, c, "GET")
		old := c.take()
		if err := old.begin(); err != nil {
			t.Fatal(err)
		}
		_ = old.arm(time.Unix(1, 0))
		_ = old.tcp.SetWriteDeadline(time.Time{})
		_, _ = io.WriteString(old.tcp, "GET / HTTP/1.1\r\nHost: x\r\n\r\n")
		if _, err := old.Read(make([]byte, 1)); err != nil || !old.armed.Equal(old.due) {
			t.Errorf("%v; it rings next at %v instead of %v", err, old.armed, old.due)
		}
		old.due = time.Now()
		_ = old.arm(old.due)
		if _, err := old.Read(make([]byte, len(okAnswer)-1)); err == nil {
			_, err = old.Read(make([]byte, 1))
			if !errors.Is(err, os.ErrDeadlineExceeded) {
				t.Errorf("after the time: %v", err)
			}
		}
		old.close()
	})
}

// What is sent is one request, whatever somebody gets into a value.
func TestDo_Lines(t *testing.T) {
	t.Parallel()
	for name, change := range map[string]func(*Request){
		"a value":    func(r *Request) { r.Header = func(h *Header) { h.Add("A", "b\r\nEvil: 1") } },
		"a bare LF":  func(r *Request) { r.Header = func(h *Header) { h.Add("A", "b\nEvil: 1") } },
		"NUL":        func(r *Request) { r.Header = func(h *Header) { h.Add("A", "b\x00") } },
		"a name":     func(r *Request) { r.Header = func(h *Header) { h.Add("A: b\r\nEvil", "1") } },
		"the target": func(r *Request) { r.Target = "/ HTTP/1.1\r\nEvil: 1" },
		"a blank":    func(r *Request) { r.Target = "/a b" },
		"the host":   func(r *Request) { r.Host = "a\r\nEvil: 1" },
		"no host":    func(r *Request) { r.Host = "" },
	} {
		r := question("GET")
		change(r)
		nothing := func(a *appConn) {
			if got := a.request(); got != nil {
				t.Errorf("%s: the app got %v", name, got)
			}
		}
		_, err := newApp(t, nothing).Do(t.Context(), r)
		contains(t, err, "a line")
	}
	if l := Line("A", "b\r\nEvil: 1") + Line("A", "b"); l != "A: b\r\n" {
		t.Errorf("lines: %q", l)
	}
}

// The app gets what was said, and no more.
func TestDo_Sent(t *testing.T) {
	t.Parallel()
	sent := make(chan string, 1)
	c := newApp(t, func(a *appConn) {
		var all strings.Builder
		for !strings.HasSuffix(all.String(), "\r\n\r\n") {
			b, err := a.in.ReadByte()
			if err != nil {
				break
			}
			all.WriteByte(b)
		}
		sent <- all.String()
		a.say(okAnswer)
	})
	r := question("HEAD")
	r.Header = func(h *Header) {
		h.Add("A", strings.Repeat("a", 3*bufferSize))
		h.AddLines(Line("B", "2") + Line("C", ""))
	}
	answer, err := c.Do(t.Context(), r)
	if err != nil {
		t.Fatal(err)
	}
	_ = answer.Body.Close()
	if want := "HEAD /a?b=c HTTP/1.1\r\nHost: app.test\r\nA: " + strings.Repeat("a", 3*bufferSize) + "\r\nB: 2\r\nC: \r\n\r\n"; <-sent != want {
		t.Error("the app got something else")
	}
}

func TestTakes(t *testing.T) {
	t.Parallel()
	u, _ := url.Parse("http://127.0.0.1:1")
	c := New(Config{URL: u})
	for request, want := range map[string]bool{
		"GET / HTTP/1.1\r\n":                                        true,
		"HEAD / HTTP/1.1\r\nConnection: Keep-Alive\r\n":             true,
		"GET / HTTP/1.1\r\nContent-Length: 0\r\n":                   true,
		"POST / HTTP/1.1\r\nContent-Length: 0\r\n":                  false,
		"DELETE / HTTP/1.1\r\n":                                     false,
		"OPTIONS / HTTP/1.1\r\n":                                    false,
		"GET / HTTP/1.1\r\nContent-Length: 1\r\n":                   false,
		"GET / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n":          false,
		"GET / HTTP/1.1\r\nConnection: Upgrade\r\nUpgrade: h2c\r\n": false,
		"GET / HTTP/1.1\r\nConnection: X-Portico-User\r\n":          false,
		"GET / HTTP/1.1\r\nConnection: close\r\nConnection: a\r\n":  false,
		"GET / HTTP/1.1\r\nTE: trailers\r\n":                        false,
		"GET / HTTP/1.1\r\nExpect: 100-continue\r\n":                false,
	} {
		r, err := http.ReadRequest(bufio.NewReader(strings.NewReader(request + "Host: x\r\n\r\n")))
		if err != nil {
			t.Fatal(request, err)
		}
		if got := c.Takes(r); got != want {
			t.Errorf("%q: %v", request, got)
		}
	}
	u, _ = url.Parse("https://127.0.0.1:1")
	if none := New(Config{URL: u}); none.Takes(httptest.NewRequest("GET", "/", nil)) || New(Config{}) != nil {
		t.Error("an app behind TLS, or none, is asked in plain text")
	}
}

// Connections do not wait for ever, nor do too many.
func TestIdle(t *testing.T) {
	t.Parallel()
	ended := make(chan struct{}, 3)
	one := func(a *appConn) {
		a.request()
		a.say(okAnswer)
		a.ended()
		ended <- struct{}{}
	}
	c := newApp(t, one, one, one)
	var open []*http.Response
	for range 3 {
		answer, err := c.Do(t.Context(), question("GET"))
		if err != nil {
			t.Fatal(err)
		}
		open = append(open, answer)
	}
	for _, answer := range open {
		_, _ = io.ReadAll(answer.Body)
	}
	<-ended // one more than may wait
	c.Tidy()
	if c.waiting() != 2 {
		t.Errorf("%d connections wait", c.waiting())
	}
	c.idle[0].idleSince = time.Now().Add(-time.Hour)
	c.Tidy()
	<-ended
	if c.waiting() != 1 {
		t.Errorf("%d connections wait", c.waiting())
	}
	c.Close()
	<-ended
	var none *Client
	none.Tidy()
	none.Close()
}
