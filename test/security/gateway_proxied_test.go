package security

import (
	"bufio"
	"crypto/tls"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"sync/atomic"
	"testing"
	"time"

	"portico/internal/config"
)

// A proxy forwards a WebSocket over HTTP/2 without Upgrade and
// Sec-WebSocket-Key. A page of another origin must not open one. test/proxies
// sends a real one.
func TestSEC240_SocketsOverHTTP2(t *testing.T) {
	announce(t)
	t.Parallel()
	s := start(t, trusting(), func(c *config.Config) {
		c.Apps = []config.App{{Name: "guarded", Path: "/", Rules: publicAndAdmin(), Key: "app.1"}}
	})
	v := s.staff()
	for _, method := range []string{"GET", "CONNECT"} {
		for from, want := range map[string]int{s.origin: 200, "https://evil.test": 403, "null": 403} {
			h := http.Header{
				"Sec-Websocket-Version": {"13"}, "Origin": {from}, "X-Forwarded-Method": {method}, "X-Forwarded-Proto": {"https"},
				"X-Forwarded-Host": {"portico.test"}, "X-Forwarded-Uri": {"/app/ws"},
			}
			if a := v.do("GET", "/auth/api/check", "", h); a.status != want {
				t.Errorf("%s from %s: %d, want %d", method, from, a.status, want)
			}
		}
	}
}

// Strangers send half a byte now and then to hold the four workers of an app.
// The time limits are scaled so that the test is short.
func TestSEC241_SlowUploads(t *testing.T) {
	announce(t)
	t.Parallel()
	workers, asked := make(chan struct{}, 4), atomic.Int32{}
	app := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		workers <- struct{}{}
		defer func() { <-workers }()
		asked.Add(1)
		_, _ = io.Copy(io.Discard, r.Body)
	}))
	t.Cleanup(app.Close)
	s := start(t, func(c *config.Config) {
		c.App.Upstream, _ = url.Parse(app.URL)
		c.App.Rules = []string{"public /*"}
		c.App.Uploads = config.Uploads{Pace: 100_000, Wait: time.Second}
	})
	statuses := make(chan int, 4)
	for range cap(statuses) {
		c, err := tls.Dial("tcp", s.addr, &tls.Config{InsecureSkipVerify: true}) // the certificate is self-signed
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = c.Close() })
		go func() {
			_, err := io.WriteString(c, "POST / HTTP/1.1\r\nHost: portico.test\r\nContent-Length: 1000000\r\n\r\n")
			for err == nil {
				time.Sleep(50 * time.Millisecond)
				_, err = io.WriteString(c, "x")
			}
		}()
		go func() {
			response, err := http.ReadResponse(bufio.NewReader(c), nil)
			if err != nil {
				statuses <- 0
				return
			}
			_ = response.Body.Close()
			statuses <- response.StatusCode
		}()
	}
	for asked.Load() < 4 {
		time.Sleep(time.Millisecond)
	}
	s.visitor().do("GET", "/x", "", script()).must(200)
	for range cap(statuses) {
		if status := <-statuses; status != http.StatusRequestTimeout {
			t.Errorf("a slow upload gets status %d", status)
		}
	}
}
