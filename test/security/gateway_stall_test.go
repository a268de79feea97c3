package security

import (
	"bufio"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"golang.org/x/net/http2"

	"portico/internal/config"
	"portico/internal/server"
	"portico/internal/testform"
)

// Strangers ask for what has no end, and read nothing, or send to an app that hangs. A stream that is quiet for hours is not one of them.
func TestSEC525_ResponsesNobodyReads(t *testing.T) {
	announce(t)
	t.Parallel()
	ended, event := make(chan string, 10), make(chan struct{})
	app := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var to io.Writer = w
		switch r.URL.Path {
		case "/events":
			w.Header().Set("Content-Type", "text/event-stream")
			_ = http.NewResponseController(w).Flush()
			select {
			case <-event:
			case <-r.Context().Done():
			}
			_, _ = io.WriteString(w, "data: late\n\n")
			return
		case "/upload":
			<-event
			return
		case "/socket":
			c, _, err := http.NewResponseController(w).Hijack()
			if err != nil {
				return
			}
			defer c.Close()
			_, _ = io.WriteString(c, "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\n")
			to = c
		}
		for piece, err := make([]byte, 32<<10), error(nil); err == nil; {
			_, err = to.Write(piece)
		}
		ended <- r.URL.Path
	}))
	t.Cleanup(app.Close)
	release := sync.OnceFunc(func() { close(event) })
	t.Cleanup(release)
	s := start(t, ownTLS(t), func(c *config.Config) {
		c.App.Upstream, _ = url.Parse(app.URL)
		c.App.Rules = []string{"public /*"}
	})
	quiet, err := s.visitor().transport.RoundTrip(httptest.NewRequest("GET", s.origin+"/events", nil))
	s.must(err)
	defer quiet.Body.Close()
	for path, lines := range map[string]string{"/plain": "", "/socket": "Upgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n"} {
		if _, err := io.WriteString(s.connect(), "GET "+path+" HTTP/1.1\r\nHost: portico.test\r\n"+lines+"\r\n"); err != nil {
			t.Fatal(err)
		}
	}
	hung := s.connect()
	go func() {
		_, _ = io.WriteString(hung, "POST /upload HTTP/1.1\r\nHost: portico.test\r\nContent-Length: 16777216\r\n\r\n")
		_, _ = hung.Write(make([]byte, 16<<20))
	}()
	go func() {
		if a, err := http.ReadResponse(bufio.NewReader(hung), nil); err == nil {
			ended <- "/upload " + a.Status
		}
	}()
	_, framer := s.http2(http2.Setting{ID: http2.SettingInitialWindowSize, Val: 0})
	begin(framer, "", [2]string{":method", "GET"}, [2]string{":scheme", "https"}, [2]string{":authority", "portico.test"}, [2]string{":path", "/http2"})
	all, ticks, late := []string{}, time.NewTicker(100*time.Millisecond), time.After(testform.Patience)
	defer ticks.Stop()
	for len(all) < 4 {
		select {
		case path := <-ended:
			all = append(all, path)
		case <-ticks.C:
			s.clock.Advance(server.StallTimeout)
		case <-late:
			t.Fatalf("only %q have an end", strings.Join(all, ", "))
		}
	}
	if release(); !slices.Contains(all, "/upload 504 Gateway Timeout") {
		t.Errorf("an upload that the app does not read: %q", all)
	}
	if got, err := io.ReadAll(quiet.Body); err != nil || string(got) != "data: late\n\n" {
		t.Errorf("the quiet stream brings %q (%v)", got, err)
	}
}
