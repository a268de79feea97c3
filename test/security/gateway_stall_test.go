package security

import (
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"golang.org/x/net/http2"

	"portico/internal/config"
	"portico/internal/server"
	"portico/internal/testform"
)

// Strangers ask for what has no end, and read nothing. A stream that is quiet for hours is not one of them.
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
	_, framer := s.http2(http2.Setting{ID: http2.SettingInitialWindowSize, Val: 0})
	begin(framer, "", [2]string{":method", "GET"}, [2]string{":scheme", "https"}, [2]string{":authority", "portico.test"}, [2]string{":path", "/http2"})
	all, ticks, late := []string{}, time.NewTicker(100*time.Millisecond), time.After(testform.Patience)
	defer ticks.Stop()
	for len(all) < 3 {
		select {
		case path := <-ended:
			all = append(all, path)
		case <-ticks.C:
			s.clock.Advance(server.StallTimeout)
		case <-late:
			t.Fatalf("only of %q has the app an end", strings.Join(all, ", "))
		}
	}
	close(event)
	if got, err := io.ReadAll(quiet.Body); err != nil || string(got) != "data: late\n\n" {
		t.Errorf("the quiet stream brings %q (%v)", got, err)
	}
}
