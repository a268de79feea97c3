package gateway

import (
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"testing"
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
