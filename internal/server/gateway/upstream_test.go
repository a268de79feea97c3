package gateway_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"runtime"
	"sync/atomic"
	"testing"
	"time"

	"portico/internal/config"
)

func newUpstream(t testing.TB, h http.Handler) string {
	t.Helper()
	u := httptest.NewServer(h)
	t.Cleanup(u.Close)
	return u.URL
}

// upgrade returns the headers of a browser that opens a WebSocket.
func upgrade(s *site, origin string) string {
	return "Sec-Fetch-Mode: websocket\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nOrigin: " + origin
}

// withApp adds a public app at a path.
func withApp(name, path, upstream string) func(*config.Config) {
	return func(c *config.Config) {
		u, _ := url.Parse(upstream)
		c.Apps = append(c.Apps, config.App{
			Name: name, Path: path, Upstream: u, Rules: []string{"public " + path + "/*"}, Key: fmt.Sprint("app.", len(c.Apps)+1), UpstreamTimeout: time.Minute,
		})
	}
}

// settled waits until Portico has compressed its screens, which temporarily
// uses much memory.
func (s *site) settled() *site {
	s.Helper()
	for _, screen := range []string{"signin", "signup", "forgot-password", "verify-code"} {
		for _, loc := range []string{"en", "ar", "de", "es", "fr"} {
			s.get("/auth/"+screen, "Accept: text/html", "Accept-Language: "+loc)
		}
	}
	return s
}

// inUse returns the memory in use, in bytes.
func inUse() uint64 {
	runtime.GC()
	runtime.GC() // the second collection empties pools
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapInuse + m.StackInuse
}

// steadyInUse returns inUse after garbage of other tests is gone.
func steadyInUse() uint64 {
	last := inUse()
	for range 100 {
		time.Sleep(50 * time.Millisecond)
		now := inUse()
		if max(now, last)-min(now, last) < 64<<10 {
			return now
		}
		last = now
	}
	return last
}

// watchMemory records the peak of the memory in use. stop ends that and returns
// the initial value.
func watchMemory(peak *atomic.Uint64) (stop func() uint64) {
	base, done, ended := inUse(), make(chan struct{}), make(chan struct{})
	go func() {
		defer close(ended)
		for {
			peak.Store(max(peak.Load(), inUse()))
			select {
			case <-done:
				return
			case <-time.After(50 * time.Millisecond):
			}
		}
	}()
	return func() uint64 {
		close(done)
		<-ended
		return base
	}
}
