package server

import (
	"log/slog"
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"strings"

	"portico/internal/fault"
	"portico/internal/locale"
	"portico/internal/telemetry/span"
)

// Handler answers a request, or returns the error that the kit answers with.
// A handler that has begun its answer returns nil.
type Handler func(w http.ResponseWriter, r *http.Request) error

// Door is a family of routes that mounts itself, so that the list of routes
// stands beside their handlers.
type Door interface {
	Mount(*Mux)
}

// ErrorPage answers a failed request of a browser for a document. The status,
// Retry-After and the security headers are decided; the page sets its own
// content policy with SetPolicy. When it returns an error, the kit writes the
// problem document instead.
type ErrorPage func(w http.ResponseWriter, r *http.Request, status int, f *fault.Error) error

// Config is what the kit depends on.
type Config struct {
	PublicURL      *url.URL       // scheme and host that browsers use
	AppHosts       []string       // hosts of apps, at which nothing but the fallback answers
	AskPath        string         // where a trusted proxy asks about requests, by whatever host it knows us
	TrustedProxies []netip.Prefix // peers whose X-Forwarded-For counts
	HSTSSubdomains bool           // whether HSTS covers the subdomains of the public host
	Catalogue      *locale.Catalogue
	Log            *slog.Logger
	Spans          *span.Source // nil: nothing is traced
}

// Mux routes requests to the handlers of the doors. Mount everything before it
// serves; from then on it is safe for concurrent use.
type Mux struct {
	routes    http.ServeMux
	patterns  []string
	segments  map[string]bool // with which the paths of routes begin
	all       []*route
	unrouted  requests // that reached no route
	fallback  *route
	errorPage ErrorPage
	hosts     hosts
	proxies   []netip.Prefix
	askPath   string
	headers   []header
	catalogue *locale.Catalogue
	log       *slog.Logger
	spans     *span.Source
}

// NewMux returns a mux without routes.
func NewMux(c Config) *Mux {
	return &Mux{
		hosts:     newHosts(c.PublicURL, c.AppHosts),
		proxies:   c.TrustedProxies,
		askPath:   c.AskPath,
		segments:  make(map[string]bool),
		headers:   baseHeaders(c.PublicURL.Scheme == "https", c.HSTSSubdomains),
		catalogue: c.Catalogue,
		log:       c.Log,
		spans:     c.Spans,
	}
}

// Mount lets each door register its routes.
func (m *Mux) Mount(doors ...Door) {
	for _, d := range doors {
		d.Mount(m)
	}
}

// Handle registers a handler under a pattern of net/http with its method:
// "GET /auth/api/flows/{id}". GET includes HEAD. The first segment of the path
// is a word and no wildcard. It panics, as http.ServeMux does, when the pattern
// is malformed or conflicts.
func (m *Mux) Handle(pattern string, h Handler, traits ...Trait) {
	m.routes.Handle(pattern, newRoute(m, pattern, h, traits))
	m.patterns = append(m.patterns, pattern)
	_, path, found := strings.Cut(pattern, " ")
	if !found {
		path = pattern
	}
	m.segments[firstSegment(path)] = true
}

// firstSegment returns what of a path or pattern tells whether a route of ours
// can be meant: a path that begins otherwise is the fallback's, and ServeMux,
// which would look for it under every method, need not be asked.
func firstSegment(path string) string {
	segment, _, _ := strings.Cut(strings.TrimPrefix(path, "/"), "/")
	return strings.TrimSuffix(segment, "{$}")
}

// Patterns returns the patterns of all routes: a test holds them against the
// table of what may be reached, so that no route comes unseen.
func (m *Mux) Patterns() []string { return slices.Clone(m.patterns) }

// Fallback registers the handler of every path that no pattern matches: the
// app behind the door. Without it such a path is a 404.
func (m *Mux) Fallback(h Handler, traits ...Trait) {
	m.fallback = newRoute(m, "fallback", h, traits)
}

// ErrorPage registers what answers a browser whose request for a document
// fails. Without it every failure is a problem document.
func (m *Mux) ErrorPage(page ErrorPage) { m.errorPage = page }

// ServeHTTP answers one request.
func (m *Mux) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	e, r := m.begin(w, r)
	defer m.end(e, r)
	if redirected, err := m.admit(e, r); redirected || err != nil {
		if err != nil {
			m.fail(e, r, err)
		}
		return
	}
	if m.fallback != nil && m.isForeign(e, r) {
		m.fallback.ServeHTTP(e, r)
		return
	}
	e.held = true
	m.routes.ServeHTTP(e, r)
	if !e.held {
		return
	}
	// No route of ours ran, so what net/http answered was held back: only its
	// status and Allow header are used.
	status := e.status
	e.held, e.status = false, 0
	switch {
	case status == http.StatusMethodNotAllowed:
		m.fail(e, r, MethodNotAllowed)
	case m.fallback != nil:
		m.fallback.ServeHTTP(e, r)
	default:
		m.fail(e, r, RouteMissing)
	}
}

// isForeign reports whether no route of ours can be meant: at an app's own host
// none is, at ours only those whose path begins as one of them does.
func (m *Mux) isForeign(e *exchange, r *http.Request) bool {
	if e.trusted && m.asks(r.URL.Path) {
		return false
	}
	return r.Host != m.hosts.public || !m.segments[firstSegment(r.URL.Path)]
}

// asks reports whether a path is where a proxy asks about a request of its own.
func (m *Mux) asks(path string) bool {
	rest, ok := strings.CutPrefix(path, m.askPath)
	return m.askPath != "" && ok && (rest == "" || rest[0] == '/')
}

// admit decides whether the request may reach a route, and gives it the client
// address in place of the peer's.
func (m *Mux) admit(e *exchange, r *http.Request) (redirected bool, err error) {
	if !r.ProtoAtLeast(1, 1) {
		// net/http drops the Transfer-Encoding of such a request before anybody can
		// see it: where the request ends is not sure (RFC 9112 6.1).
		e.Header().Set("Connection", "close")
	}
	if err := checkTarget(r); err != nil {
		return false, err
	}
	if to, err := m.hosts.check(r); (err != nil || to != "") && !(m.asks(r.URL.Path) && m.fromProxy(r)) {
		if to != "" {
			e.Header().Set("Location", to)
			e.WriteHeader(http.StatusTemporaryRedirect)
		}
		return to != "", err
	}
	if err := checkCookies(e, r); err != nil {
		return false, err
	}
	m.resolveClient(e, r)
	return false, nil
}
