package gateway

import (
	"log/slog"
	"net"
	"net/http"
	"net/http/httputil"
	"net/url"
	"sync"
	"sync/atomic"
	"time"

	"portico/internal/origin"
	"portico/internal/rule"
	"portico/internal/server"
)

// App is a web app behind the door.
type App struct {
	Name     string
	Upstream *url.URL // nil when another proxy forwards
	Audience string   // of its tokens
	Site     rule.Site
	Headers  []Header      // beside those of Standard
	Timeout  time.Duration // until an answer begins
	Silence  time.Duration // for which it may answer nothing at all while requests wait; 0: for Timeout
	Uploads  Uploads

	KeepAllCookies bool     // also when another person uses the browser
	KeepCookies    []string // the names of those that stay then
	SignOutURL     string   // where the app is asked to end its own session then, "" for nowhere
}

// app is an App at work.
type app struct {
	App
	buffered atomic.Int64          // bytes of request bodies that are kept
	proxy    httputil.ReverseProxy // without what is of one request
	circuit  circuit
	headers  []Header
	ages     []string // names of those that tell the age

	rules bool // its host is its own, and not the public one

	holder   server.Cookie // says whose the cookies are that a browser keeps for the app
	siteData string        // what the browser clears when they are another person's

	forwardedHost []string

	identities sync.Map     // of sessions, by their id: *identity
	count      atomic.Int64 // of them, about
}

// newApp puts an App to work.
func newApp(a App, public *url.URL, buffers *buffers, log *slog.Logger) *app {
	w := &app{App: a, headers: append(standard(), a.Headers...), rules: origin.Of(public) != public.Scheme+"://"+a.Site.Host, forwardedHost: []string{a.Site.Host}}
	w.holder, w.siteData = server.NewCookie(public, "user-"+a.Name), everySiteData
	for _, h := range w.headers {
		if h.Part == SessionAge {
			w.ages = append(w.ages, h.Name)
		}
	}
	w.proxy = httputil.ReverseProxy{
		Transport: newTransport(a), BufferPool: buffers,
		ErrorLog: slog.NewLogLogger(log.Handler(), slog.LevelDebug), // a client that goes away in the middle is no news
	}
	return w
}

const (
	dialTimeout = 4 * time.Second // so that people hear of an app that is away within five

	// maxAnswerHeader is the most bytes of an answer's header.
	maxAnswerHeader = 256 << 10

	// idleConns is how many connections to an app wait for the next request. The
	// two of net/http's default make every load open and close connections.
	idleConns   = 256
	idleTimeout = 90 * time.Second
	bufferSize  = 32 << 10
)

// newTransport returns the connections to an app. They go nowhere but to its
// upstream: no proxy of the environment, no redirects. Behind TLS an app may
// choose HTTP/2; a WebSocket gets a connection of HTTP/1.1 all the same.
func newTransport(a App) *http.Transport {
	dialer := &net.Dialer{Timeout: dialTimeout, KeepAlive: 30 * time.Second}
	return &http.Transport{
		DialContext:            dialer.DialContext,
		TLSHandshakeTimeout:    dialTimeout,
		ResponseHeaderTimeout:  a.Timeout,
		ExpectContinueTimeout:  time.Second,
		MaxIdleConnsPerHost:    idleConns,
		IdleConnTimeout:        idleTimeout,
		DisableCompression:     true, // the answer is the app's, and is passed on as it is
		MaxResponseHeaderBytes: maxAnswerHeader,
		ReadBufferSize:         4 << 10,
		WriteBufferSize:        4 << 10,
		Protocols:              protocols(a.Upstream),
	}
}

func protocols(upstream *url.URL) *http.Protocols {
	p := new(http.Protocols)
	p.SetHTTP1(true)
	p.SetHTTP2(upstream != nil && upstream.Scheme == "https")
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
