package gateway

import (
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"testing"
	"time"

	"portico/internal/testform"
)

// With TLS, an app is called over HTTP/2 if it supports it, and over HTTP/1.1
// for a WebSocket.
func TestTransport_Protocol(t *testing.T) {
	t.Parallel()
	app := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.WriteString(w, r.Proto)
	}))
	app.EnableHTTP2 = true
	app.StartTLS()
	t.Cleanup(app.Close)
	u, err := url.Parse(app.URL)
	if err != nil {
		t.Fatal(err)
	}
	transport := newTransport(App{Upstream: u})
	transport.TLSClientConfig = app.Client().Transport.(*http.Transport).TLSClientConfig
	t.Cleanup(transport.CloseIdleConnections)
	for _, one := range []struct {
		want   string
		header http.Header
	}{
		{"HTTP/2.0", http.Header{}},
		{"HTTP/1.1", http.Header{"Connection": {"Upgrade"}, "Upgrade": {"websocket"}}},
		{"HTTP/2.0", http.Header{}},
	} {
		answer, err := transport.RoundTrip(&http.Request{Method: http.MethodGet, URL: u, Header: one.header})
		if err != nil {
			t.Fatal(err)
		}
		got, _ := io.ReadAll(answer.Body)
		_ = answer.Body.Close()
		if string(got) != one.want {
			t.Errorf("%v: asked in %s, want %s", one.header, got, one.want)
		}
	}
}

// The kernel takes little for an app that does not read, so that an app that reads slowly can be told from it.
func TestTransport_SendsLittleAhead(t *testing.T) {
	t.Parallel()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = l.Close() })
	c, err := newTransport(App{}).DialContext(t.Context(), "tcp", l.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close() })
	_ = c.SetWriteDeadline(time.Now().Add(300 * time.Millisecond))
	if n, _ := c.Write(make([]byte, 16<<20)); n > 2<<20 {
		t.Errorf("%d bytes were taken", n)
	}
}

// A request that reaches the transport after its app was replaced leaves no
// idle connection.
func TestTransport_Retired(t *testing.T) {
	t.Parallel()
	states := make(chan http.ConnState, 10)
	app := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "yes") }))
	app.Config.ConnState = func(_ net.Conn, state http.ConnState) { states <- state }
	app.Start()
	t.Cleanup(app.Close)
	u, err := url.Parse(app.URL)
	if err != nil {
		t.Fatal(err)
	}
	transport := newTransport(App{Upstream: u})
	t.Cleanup(transport.CloseIdleConnections)
	transport.retire()
	answer, err := transport.RoundTrip(&http.Request{Method: http.MethodGet, URL: u, Header: http.Header{}})
	if err != nil {
		t.Fatal(err)
	}
	_, _ = io.Copy(io.Discard, answer.Body)
	_ = answer.Body.Close()
	for {
		select {
		case state := <-states:
			if state == http.StateClosed {
				return
			}
		case <-time.After(testform.Patience):
			t.Fatal("the connection stays open")
		}
	}
}
