package gateway_test

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"portico/internal/config"
)

// crew is an app with four workers. A request occupies a worker from its
// headers to the end of the response.
type crew struct {
	*httptest.Server
	asked, over atomic.Int32
}

func newCrew(t *testing.T) *crew {
	t.Helper()
	c, workers := &crew{}, make(chan struct{}, 4)
	c.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		workers <- struct{}{}
		defer func() { <-workers; c.over.Add(1) }()
		c.asked.Add(1)
		if r.URL.Path == "/public/sleeper" {
			time.Sleep(3 * time.Second) // longer than a client may take
		}
		n, err := io.Copy(io.Discard, r.Body)
		if err == nil {
			_ = json.NewEncoder(w).Encode(echo{Method: r.Method, Body: n})
		}
	}))
	t.Cleanup(c.Close)
	return c
}

// uploads configures an app with limits for uploads.
func uploads(upstream string, pace int, wait time.Duration, bufferKiB int) func(*config.Config) {
	return func(c *config.Config) {
		up, _ := url.Parse(upstream)
		c.Apps = []config.App{{
			Name: "crew", Path: "/", Upstream: up, Rules: []string{"public /public/*", "signed-in /*"}, UpstreamTimeout: time.Minute, Key: "app.1",
			Uploads: config.Uploads{Pace: pace, Wait: wait, BufferKiB: bufferKiB},
		}}
	}
}

// drip sends a header and then the pieces of a body, with pauses, until the
// server responds. It returns the response.
func (s *site) drip(header string, pieces int, piece string, apart time.Duration) answer {
	s.Helper()
	c := s.dial()
	go func() {
		if _, err := io.WriteString(c, header+"\r\nHost: "+s.host+"\r\n\r\n"); err != nil {
			return
		}
		for range pieces {
			time.Sleep(apart)
			if _, err := io.WriteString(c, piece); err != nil {
				return
			}
		}
		if strings.Contains(header, "chunked") {
			_, _ = io.WriteString(c, "0\r\n\r\n") // the server may have closed the connection
		}
	}()
	return readAnswer(c)
}

func readAnswer(c net.Conn) answer {
	response, err := http.ReadResponse(bufio.NewReader(c), nil)
	if err != nil {
		return answer{body: err.Error()}
	}
	defer response.Body.Close()
	text, _ := io.ReadAll(response.Body)
	return answer{response.StatusCode, response.Header, string(text)}
}

// SEC-241: four strangers who each send half a byte now and then do not occupy
// an app with four workers. The test uses a higher pace so that it is short.
func TestUploads_SlowOnesFreeTheApp(t *testing.T) {
	t.Parallel()
	app := newCrew(t)
	s := start(t, uploads(app.URL, 100_000, 500*time.Millisecond, 0))
	answers := make(chan answer, 4)
	for range cap(answers) {
		go func() {
			answers <- s.drip("POST /public/x HTTP/1.1\r\nContent-Length: 1000000", 1000, "x", 50*time.Millisecond)
		}()
	}
	for app.asked.Load() < 4 {
		time.Sleep(time.Millisecond)
	}
	if a := s.get("/public/other", fetch); a.status != 200 {
		t.Errorf("another client got status %d %s", a.status, a.body)
	}
	for range cap(answers) {
		if a := <-answers; a.status != http.StatusRequestTimeout || !strings.Contains(a.body, "request.slow") {
			t.Errorf("a slow upload got status %d %s", a.status, a.body)
		}
	}
}

// Some slow requests are allowed: a stream with a session, an app that reads
// late, and an upload at the pace.
func TestUploads_OthersTakeTheirTime(t *testing.T) {
	t.Parallel()
	app := newCrew(t)
	s := start(t, uploads(app.URL, 1000, 2*time.Second, 0))
	person := s.person("mara@x.test")
	if a := s.drip("POST /x HTTP/1.1\r\nTransfer-Encoding: chunked\r\nCookie: "+person, 6, "1\r\nx\r\n", 500*time.Millisecond); a.status != 200 || a.echoed(t).Body != 6 {
		t.Errorf("a stream of a person: %d %s", a.status, a.body)
	}
	if a := s.drip("POST /public/x HTTP/1.1\r\nTransfer-Encoding: chunked", 100, "1\r\nx\r\n", 100*time.Millisecond); a.status != http.StatusRequestTimeout {
		t.Errorf("a stream of a stranger: %d %s", a.status, a.body)
	}
	if a := s.do("POST", "/public/sleeper", strings.Repeat("x", 8<<20), fetch); a.status != 200 || a.echoed(t).Body != 8<<20 {
		t.Errorf("an app that reads late: %d %s", a.status, a.body)
	}
	if a := s.drip("POST /public/x HTTP/1.1\r\nContent-Length: 8000", 8, strings.Repeat("x", 1000), 300*time.Millisecond); a.status != 200 || a.echoed(t).Body != 8000 {
		t.Errorf("an upload at the pace: %d %s", a.status, a.body)
	}
}

// An app that reads nothing holds an upload no longer than it may take to answer. Neither an upload nor a WebSocket goes
// on beyond its session.
func TestUploads_NobodyReads(t *testing.T) {
	t.Parallel()
	asked, release := make(chan struct{}), make(chan struct{})
	u := newUpstream(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/" { // a request of the watcher
			return
		}
		if r.URL.Path == "/ws" {
			c, _, err := http.NewResponseController(w).Hijack()
			if err != nil {
				return
			}
			defer c.Close()
			_, _ = io.WriteString(c, "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\n")
		}
		asked <- struct{}{}
		<-release
	}))
	t.Cleanup(func() { close(release) })
	s := start(t, uploads(u, 0, time.Second, 0))
	s.person("mara@x.test")
	upload := func(header string) net.Conn {
		c := s.dial()
		_, _ = io.WriteString(c, header+"\r\nHost: "+s.host+"\r\n\r\n")
		go func() { _, _ = io.CopyN(c, zeros{}, 16<<20) }()
		<-asked
		return c
	}
	const post = "POST /public/x HTTP/1.1\r\nContent-Length: 16777216"
	for name, header := range map[string]string{"an upload": post, "a WebSocket": "GET /ws HTTP/1.1\r\n" + upgrade(s, s.origin)} {
		cookie := s.signIn("mara@x.test")
		c := upload(header + "\r\nCookie: " + cookie)
		if err := s.app.Flows.SignOut(t.Context(), s.caller(cookie)); err != nil {
			t.Fatal(err)
		}
		if _, err := io.Copy(io.Discard, c); errors.Is(err, os.ErrDeadlineExceeded) {
			t.Errorf("%s is still open after its session", name)
		}
	}
	c, ticks := upload(post), time.NewTicker(50*time.Millisecond)
	defer ticks.Stop()
	ended := make(chan answer)
	go func() { ended <- readAnswer(c) }()
	for {
		select {
		case <-ticks.C:
			s.clock.Advance(10 * time.Second)
		case a := <-ended:
			if a.status != http.StatusGatewayTimeout || !strings.Contains(a.body, "app.slow") {
				t.Errorf("an upload that nobody reads: %d %s", a.status, a.body)
			}
			return
		}
	}
}

// A buffered body does not occupy the app while it arrives, and reaches it
// unchanged. A body longer than the buffer is streamed.
func TestUploads_Buffered(t *testing.T) {
	t.Parallel()
	app := newCrew(t)
	s := start(t, uploads(app.URL, 0, time.Second, 64))
	for name, test := range map[string]struct {
		header, first, rest string
		early               int32 // how often the app is called before the rest arrives
		body                int64
	}{
		"a length":            {"Content-Length: 10", "12345", "67890", 0, 10},
		"chunks":              {"Transfer-Encoding: chunked", "5\r\n12345\r\n", "5\r\n67890\r\n0\r\n\r\n", 0, 10},
		"more than the room":  {"Content-Length: 100000", strings.Repeat("x", 70_000), strings.Repeat("y", 30_000), 1, 100_000},
		"exactly the room":    {fmt.Sprintf("Content-Length: %d", 64<<10), strings.Repeat("x", 1000), strings.Repeat("y", 64<<10-1000), 0, 64 << 10},
		"a body of no length": {"Content-Length: 0", "", "", 1, 0},
	} {
		before := app.asked.Load()
		c := s.dial()
		if _, err := io.WriteString(c, "POST /public/x HTTP/1.1\r\nHost: "+s.host+"\r\n"+test.header+"\r\n\r\n"+test.first); err != nil {
			t.Fatal(err)
		}
		if test.early > 0 {
			for app.asked.Load() == before {
				time.Sleep(time.Millisecond)
			}
		} else if time.Sleep(50 * time.Millisecond); app.asked.Load() != before {
			t.Errorf("%s: the app was asked before the body was there", name)
		}
		if _, err := io.WriteString(c, test.rest); err != nil {
			t.Fatal(err)
		}
		if a := readAnswer(c); a.status != 200 || a.echoed(t).Body != test.body {
			t.Errorf("%s: %d %s", name, a.status, a.body)
		}
	}
}
