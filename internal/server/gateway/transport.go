package gateway

import (
	"context"
	"crypto/tls"
	"net"
	"net/http"
	"net/url"
	"sync/atomic"
	"time"
)

const (
	dialTimeout = 4 * time.Second // so that a visitor learns within five seconds that an app is down

	// maxAnswerHeader is the size limit of response headers in bytes.
	maxAnswerHeader = 256 << 10

	// idleConns is the maximum number of idle connections to an app. net/http's
	// default of two would open and close connections under any load.
	idleConns   = 256
	idleTimeout = 90 * time.Second

	// sendBuffer is how many bytes the kernel keeps for an app that does not read. It wakes a writer when a third is
	// free, and takes 4 MiB by itself: an app that reads 20 KB a second would seem not to read for a minute. An upload
	// gets 200 Mbit/s by it at a round trip of 10 ms. HTTP/2, where all uploads share a connection, has windows of its own.
	sendBuffer = 256 << 10
)

// transport is the connections to an app's upstream.
type transport struct {
	http.Transport
	retired atomic.Bool
}

// retire closes idle connections. A connection in use closes after its request,
// also if that request came to the transport after retire.
func (t *transport) retire() {
	t.retired.Store(true)
	t.CloseIdleConnections()
}

// RoundTrip sends a request. net/http keeps connections again after
// CloseIdleConnections once another request needs one.
func (t *transport) RoundTrip(r *http.Request) (*http.Response, error) {
	answer, err := t.Transport.RoundTrip(r)
	if t.retired.Load() {
		t.CloseIdleConnections()
	}
	return answer, err
}

// newTransport returns a transport that connects only to the app's upstream. It
// uses no proxy of the environment and follows no redirects. With TLS it may
// use HTTP/2, except for WebSockets.
func newTransport(a App) *transport {
	dialer, speaks := &net.Dialer{Timeout: dialTimeout, KeepAlive: 30 * time.Second}, protocols(a.Upstream)
	return &transport{Transport: http.Transport{
		DialContext: func(ctx context.Context, network, address string) (net.Conn, error) {
			c, err := dialer.DialContext(ctx, network, address)
			if tcp, is := c.(*net.TCPConn); is && !speaks.HTTP2() {
				_ = tcp.SetWriteBuffer(sendBuffer) // else it is a matter of speed alone
			}
			return c, err
		},
		TLSClientConfig:        &tls.Config{RootCAs: a.Roots},
		TLSHandshakeTimeout:    dialTimeout,
		ResponseHeaderTimeout:  a.Timeout,
		ExpectContinueTimeout:  time.Second,
		MaxIdleConnsPerHost:    idleConns,
		IdleConnTimeout:        idleTimeout,
		DisableCompression:     true, // pass on bodies as the app encoded them
		MaxResponseHeaderBytes: maxAnswerHeader,
		ReadBufferSize:         4 << 10,
		WriteBufferSize:        4 << 10,
		Protocols:              speaks,
	}}
}

func protocols(upstream *url.URL) *http.Protocols {
	p := new(http.Protocols)
	p.SetHTTP1(true)
	p.SetHTTP2(upstream != nil && upstream.Scheme == "https")
	return p
}
