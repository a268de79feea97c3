package gateway

import (
	"net"
	"net/http"
	"net/http/httputil"
	"net/url"
	"sync"
	"sync/atomic"
	"time"

	"portico/internal/rule"
)

// App is a web app behind the door.
type App struct {
	Name     string
	Upstream *url.URL // nil when another proxy forwards
	Audience string   // of its tokens
	Site     rule.Site
	Headers  []Header      // beside those of Standard
	Timeout  time.Duration // until an answer begins
}

// app is an App at work.
type app struct {
	App
	origin    string // as browsers write it
	headers   []Header
	transport http.RoundTripper

	identities sync.Map     // of sessions, by their id: *identity
	count      atomic.Int64 // of them, about
}

const (
	dialTimeout = 5 * time.Second

	// idleConns is how many connections to an app wait for the next request. The
	// two of net/http's default make every load open and close connections.
	idleConns   = 256
	idleTimeout = 90 * time.Second
	bufferSize  = 32 << 10
)

// newTransport returns the connections to an app. They go nowhere but to its
// upstream: no proxy of the environment, no redirects. HTTP/1.1 alone, so that a
// WebSocket is passed on.
func newTransport(a App) *http.Transport {
	dialer := &net.Dialer{Timeout: dialTimeout, KeepAlive: 30 * time.Second}
	return &http.Transport{
		DialContext:           dialer.DialContext,
		TLSHandshakeTimeout:   dialTimeout,
		ResponseHeaderTimeout: a.Timeout,
		ExpectContinueTimeout: time.Second,
		MaxIdleConnsPerHost:   idleConns,
		IdleConnTimeout:       idleTimeout,
		DisableCompression:    true, // the answer is the app's, and is passed on as it is
		ReadBufferSize:        4 << 10,
		WriteBufferSize:       4 << 10,
		Protocols:             onlyHTTP1(),
	}
}

func onlyHTTP1() *http.Protocols {
	p := new(http.Protocols)
	p.SetHTTP1(true)
	return p
}

// buffers lends what bodies are copied through.
type buffers struct{ pool sync.Pool }

var _ httputil.BufferPool = (*buffers)(nil)

func newBuffers() *buffers {
	return &buffers{sync.Pool{New: func() any { return new([bufferSize]byte) }}}
}

func (b *buffers) Get() []byte { return b.pool.Get().(*[bufferSize]byte)[:] }

func (b *buffers) Put(p []byte) { b.pool.Put((*[bufferSize]byte)(p)) }
