package server

import (
	"errors"
	"log/slog"
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"strings"

	"portico/internal/fault"
	"portico/internal/locale"
	"portico/internal/pages"
	"portico/internal/telemetry/span"
)

// Handler writes a response, or returns an error that the Mux writes. After it
// has begun a response it must return nil.
type Handler func(w http.ResponseWriter, r *http.Request) error

// Routes is a group of routes that mounts itself, so that the list of routes is
// next to their handlers.
type Routes interface {
	Mount(*Mux)
}

// ErrorPage writes the page for a failed request of a browser. Status,
// Retry-After and security headers are already set; the page sets its own
// policy with SetPolicy. If it returns an error, the Mux writes a problem
// document instead.
type ErrorPage func(w http.ResponseWriter, r *http.Request, status int, f *fault.Error) error

// Config configures a Mux.
type Config struct {
	PublicURL      *url.URL       // scheme and host that browsers use
	AppHosts       []string       // hosts of apps, where only the fallback and routes with EveryHost respond
	AsSent         []string       // hosts with an app that takes ambiguous targets; only the fallback gets them
	AskPath        string         // path of forward-auth requests; a trusted proxy may use any host for it
	TrustedProxies []netip.Prefix // peers whose X-Forwarded-For is trusted
	HSTSSubdomains bool           // whether HSTS includes subdomains of the public host
	Catalogue      *locale.Catalogue
	Log            *slog.Logger
	Spans          *span.Source // nil turns tracing off

	Before *Mux // the Mux that this one replaces, whose counters go on; nil for none
}

// Mux routes requests to handlers. Mount everything before it serves; then it
// is safe for concurrent use.
type Mux struct {
	Config
	routes    http.ServeMux
	plain     map[target]*route // routes without a wildcard: a lookup here costs less than the search in routes
	patterns  []string
	segments  map[string]bool // first segments of the paths of routes
	shared    []string        // paths of routes with EveryHost; with a / at the end, all paths below
	all       []*route
	inherited map[string]*requests // counters of the Mux before, by pattern
	unrouted  *requests            // requests without a route
	fallback  *route
	errorPage ErrorPage
	leaving   LeavingPage
	hosts     hosts
	headers   []header
}

// target is what a route without a wildcard is for. The method is empty for all methods.
type target struct{ method, path string }

// NewMux returns a Mux without routes.
func NewMux(c Config) *Mux {
	m := &Mux{
		Config:    c,
		inherited: make(map[string]*requests),
		hosts:     newHosts(c.PublicURL, c.AppHosts),
		plain:     make(map[target]*route),
		segments:  make(map[string]bool),
		headers:   baseHeaders(c.PublicURL.Scheme == "https", c.HSTSSubdomains),
		unrouted:  new(requests),
	}
	if c.Before != nil {
		m.unrouted = c.Before.unrouted
		for _, rt := range c.Before.all {
			m.inherited[rt.pattern] = rt.requests
		}
		m.Before = nil // which would keep every Mux of this process
	}
	return m
}

// counters returns the counters of a pattern: the counters of the Mux before, or
// new ones.
func (m *Mux) counters(pattern string) *requests {
	if q, ok := m.inherited[pattern]; ok {
		return q
	}
	return new(requests)
}

// Mount registers the routes of each group.
func (m *Mux) Mount(groups ...Routes) {
	for _, group := range groups {
		group.Mount(m)
	}
}

// Handle registers a handler under a net/http pattern with a method: "GET
// /auth/api/flows/{id}". GET includes HEAD. The first segment of the path must
// not be a wildcard. Like http.ServeMux, Handle panics for a malformed or
// conflicting pattern.
func (m *Mux) Handle(pattern string, h Handler, traits ...Trait) {
	rt := newRoute(m, pattern, h, traits)
	m.routes.Handle(pattern, rt)
	m.patterns = append(m.patterns, pattern)
	method, path, found := strings.Cut(pattern, " ")
	if !found {
		method, path = "", pattern
	}
	if !strings.Contains(path, "{") {
		m.plain[target{method, path}] = rt
	}
	m.segments[firstSegment(path)] = true
	if rt.everyHost {
		shared, _, _ := strings.Cut(path, "{")
		m.shared = append(m.shared, shared)
	}
}

// firstSegment returns the first segment of a path or pattern. A path whose
// first segment belongs to no route goes to the fallback directly, which saves
// a lookup in ServeMux.
func firstSegment(path string) string {
	segment, _, _ := strings.Cut(strings.TrimPrefix(path, "/"), "/")
	return strings.TrimSuffix(segment, "{$}")
}

// Patterns returns the patterns of all routes. A test compares them with the
// table of reachable routes, so that no route is added unnoticed.
func (m *Mux) Patterns() []string { return slices.Clone(m.patterns) }

// Fallback registers the handler of paths that no pattern matches, which is the
// gateway. Without it they get 404.
func (m *Mux) Fallback(h Handler, traits ...Trait) {
	m.fallback = newRoute(m, "fallback", h, traits)
}

// ErrorPage registers the error page for browsers. Without it, all errors are
// problem documents.
func (m *Mux) ErrorPage(page ErrorPage) { m.errorPage = page }

// ServeHTTP handles one request.
func (m *Mux) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	e, r := m.begin(w, r)
	defer m.end(e, r)
	if redirected, err := m.admit(e, r); redirected || err != nil {
		if err != nil {
			m.fail(e, r, err)
		}
		return
	}
	if m.fallback != nil && (e.asSent || m.isForeign(e, r)) {
		m.fallback.ServeHTTP(e, r)
		return
	}
	if to := m.withoutPunctuation(r); to != "" {
		e.Header().Set("Location", to)
		e.WriteHeader(http.StatusTemporaryRedirect)
		return
	}
	if m.respells(r) {
		m.fail(e, r, Malformed)
		return
	}
	if rt := m.plainRoute(r.Method, r.URL.EscapedPath()); rt != nil {
		r.Pattern = rt.pattern
		rt.ServeHTTP(e, r)
		return
	}
	e.held = true
	m.routes.ServeHTTP(e, r)
	if !e.held {
		return
	}
	// No route ran, and the response of ServeMux was discarded. Only its status
	// and its Allow header count.
	status := e.status
	e.held, e.status = false, 0
	switch {
	case status == http.StatusMethodNotAllowed:
		m.fail(e, r, m.otherMethod(e, r))
	case m.fallback != nil:
		m.fallback.ServeHTTP(e, r)
	default:
		m.fail(e, r, RouteMissing)
	}
}

// plainRoute returns the route without a wildcard that ServeMux would find, or nil. It leaves HEAD to ServeMux,
// because a route for GET includes it, and comes before a route for all methods.
func (m *Mux) plainRoute(method, path string) *route {
	rt := m.plain[target{method, path}]
	if rt == nil && method != http.MethodHead {
		rt = m.plain[target{"", path}]
	}
	return rt
}

// otherMethod returns the fault of a request whose path has a route for other methods alone. Its cause
// names that route, because the log entry has no path.
func (m *Mux) otherMethod(e *exchange, r *http.Request) error {
	asked, allowed := *r, strings.Split(e.Header().Get("Allow"), ", ")
	asked.Method = allowed[len(allowed)-1] // in the order of the alphabet, so a form comes after a page
	handler, pattern := m.routes.Handler(&asked)
	e.beside, _ = handler.(*route)
	return MethodNotAllowed.WithCause(errors.New("the route is " + pattern))
}

// withoutPunctuation returns the address of a page that is requested with a character of the text around
// its link at the end, else "".
func (m *Mux) withoutPunctuation(r *http.Request) string {
	path := strings.TrimRight(r.URL.Path, ".,)>")
	if path == r.URL.Path || r.Method != http.MethodGet || !pages.Own(path) || !wantsDocument(r) || !slices.Contains(m.patterns, "GET "+path) {
		return ""
	}
	return strings.TrimSuffix(path+"?"+r.URL.RawQuery, "?")
}

// isForeign reports whether a request cannot match a route: because of another
// host, or because of its first segment.
func (m *Mux) isForeign(e *exchange, r *http.Request) bool {
	if e.trusted && m.asks(r.URL.Path) {
		return false
	}
	if r.Host != m.hosts.public {
		return !slices.ContainsFunc(m.shared, func(shared string) bool {
			return r.URL.Path == shared || strings.HasSuffix(shared, "/") && strings.HasPrefix(r.URL.Path, shared)
		})
	}
	return !m.segments[firstSegment(r.URL.Path)]
}

// asks reports whether a path is the forward-auth endpoint or below it.
func (m *Mux) asks(path string) bool {
	rest, ok := strings.CutPrefix(path, m.AskPath)
	return m.AskPath != "" && ok && (rest == "" || rest[0] == '/')
}

// respells reports whether a path below /auth/ has an encoded character. A proxy
// in front may deny such a path by its plain spelling only. Below the
// forward-auth endpoint stands a path of an app, as Envoy sends it.
func (m *Mux) respells(r *http.Request) bool {
	path, _, _ := strings.Cut(r.RequestURI, "?")
	return pages.Own(r.URL.Path) && strings.Contains(path, "%") && (m.AskPath == "" || !strings.HasPrefix(path, m.AskPath+"/"))
}

// mendSlash removes the first of two slashes before a document of Portico below /.well-known/. A client adds
// the path to an issuer that it was given with a slash at the end. It matches whole paths of such documents, so no
// other path gets a second spelling.
func (m *Mux) mendSlash(r *http.Request) {
	const doubled = "//.well-known/"
	if strings.HasPrefix(r.RequestURI, doubled) && strings.HasPrefix(r.URL.Path, doubled) && r.URL.RawPath == "" && slices.Contains(m.patterns, "GET "+r.URL.Path[1:]) {
		r.RequestURI, r.URL.Path = r.RequestURI[1:], r.URL.Path[1:]
	}
}

// admit decides whether the request may reach a route, and replaces the peer's
// address with the client's.
func (m *Mux) admit(e *exchange, r *http.Request) (redirected bool, err error) {
	m.mendSlash(r)
	if !r.ProtoAtLeast(1, 1) {
		// net/http drops the Transfer-Encoding of such a request, so the end of
		// the request is uncertain (RFC 9112 6.1).
		e.Header().Set("Connection", "close")
	}
	if err := checkForm(r); err != nil {
		return false, err
	}
	if to, err := m.hosts.check(r); (err != nil || to != "") && !(m.asks(r.URL.Path) && m.fromProxy(r)) {
		if to != "" {
			e.Header().Set("Location", to)
			e.WriteHeader(http.StatusTemporaryRedirect)
		}
		return to != "", err
	}
	if e.asSent = ambiguous(r); e.asSent && (pages.Own(r.URL.Path) || !slices.Contains(m.AsSent, r.Host)) {
		return false, Malformed
	}
	if err := checkCookies(e, r); err != nil {
		return false, err
	}
	m.resolveClient(e, r)
	return false, nil
}
