package gateway

import (
	"crypto/x509"
	"log/slog"
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

// App is the configuration of an app.
type App struct {
	Name     string
	Upstream *url.URL // nil if another proxy forwards to the app
	Audience string   // audience of its tokens
	Resource string   // its name as a resource server; "" if it takes no access tokens
	Personal bool     // whether it takes personal access tokens
	Site     rule.Site
	// ExtraClaims are claims of its tokens, as package claim adds them.
	ExtraClaims []string
	Headers     []Header      // in addition to the standard headers
	Timeout     time.Duration // until a response begins
	Silence     time.Duration // time without any response while requests wait; 0: only Timeout applies
	Uploads     Uploads
	Roots       *x509.CertPool // trusted authorities of an upstream by https; nil: the system's

	KeepAllCookies bool     // even if another account uses the browser
	KeepCookies    []string // names of cookies that stay in that case
	SignOutURL     string   // where the app is asked to end its own session in that case; "" for none

	NameUpstream bool // tell visitors of an app that is down where it should be: they are its developers
}

// app is the state of a running App.
type app struct {
	App
	buffered *atomic.Int64         // bytes of buffered request bodies, also of requests from before a reload
	proxy    httputil.ReverseProxy // template for the proxy of each request
	circuit  *circuit
	headers  []Header
	ages     []string // names of the headers with the session's age

	ownHost bool // not the one of the public URL

	holder   server.Cookie // cookie that records which account the app's cookies belong to
	siteData string        // what the browser must clear when the account changes

	forwardedHost []string

	identities sync.Map     // session id -> *identity
	count      atomic.Int64 // approximate size of identities
}

// newApp returns a running App. With the same upstream as before, it keeps its
// connections and what is known of the app's health. before may be nil.
func newApp(a App, public *url.URL, buffers *buffers, log *slog.Logger, before *app) *app {
	w := &app{App: a, headers: append(standard(), a.Headers...), ownHost: origin.Of(public) != public.Scheme+"://"+a.Site.Host, forwardedHost: []string{a.Site.Host}}
	w.holder, w.siteData = server.NewCookie(public, "user-"+a.Name), everySiteData
	for _, h := range w.headers {
		if h.Part == partSessionAge {
			w.ages = append(w.ages, h.Name)
		}
	}
	w.buffered = new(atomic.Int64)
	if before != nil {
		w.buffered = before.buffered
	}
	transport := http.RoundTripper(nil)
	if before != nil && before.sameUpstream(a) {
		w.circuit, transport = before.circuit, before.proxy.Transport
	} else {
		w.circuit, transport = new(circuit), newTransport(a)
	}
	w.proxy = httputil.ReverseProxy{
		Transport: transport, BufferPool: buffers,
		ErrorLog: slog.NewLogLogger(log.Handler(), slog.LevelDebug), // a client that disconnects is not worth a log entry
	}
	return w
}

// sameUpstream reports whether another configuration of the app leads to the
// same connections.
func (a *app) sameUpstream(b App) bool {
	return a.leadsTo(b.Upstream) && a.Timeout == b.Timeout && a.Roots.Equal(b.Roots)
}

// leadsTo reports whether the app is at an upstream.
func (a *app) leadsTo(upstream *url.URL) bool {
	return a.Upstream != nil && upstream != nil && a.Upstream.String() == upstream.String()
}

// follows reports whether the app is a former one by other settings: under its name, or at its upstream.
func (a *app) follows(former *app) bool {
	return a.Name == former.Name || a.leadsTo(former.Upstream)
}

const bufferSize = 32 << 10

// buffers is a pool of copy buffers. It is safe for concurrent use.
type buffers struct{ pool sync.Pool }

var _ httputil.BufferPool = (*buffers)(nil)

func newBuffers() *buffers {
	return &buffers{sync.Pool{New: func() any { return new([bufferSize]byte) }}}
}

func (b *buffers) Get() []byte { return b.pool.Get().(*[bufferSize]byte)[:] }

func (b *buffers) Put(p []byte) { b.pool.Put((*[bufferSize]byte)(p)) }
