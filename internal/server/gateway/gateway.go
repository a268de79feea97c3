package gateway

import (
	"context"
	"errors"
	"log/slog"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"portico/internal/apikey"
	"portico/internal/clock"
	"portico/internal/fault"
	"portico/internal/origin"
	"portico/internal/pages"
	"portico/internal/rule"
	"portico/internal/secret"
	"portico/internal/server"
	"portico/internal/server/form"
	"portico/internal/session"
	"portico/internal/signingkey"
)

// Config configures a Gateway.
type Config struct {
	Actions *form.Actions
	Keys    *signingkey.Keeper
	Clock   clock.Clock
	Moved   func() time.Duration // how far Clock is ahead of the time of the apps, which judge tokens
	Log     *slog.Logger
	Public  *url.URL
	Apps    []App
	Holders *secret.MAC // hashes the account ids in the cookies that record owners

	// TokenSession returns the user of an access token for a resource.
	TokenSession func(ctx context.Context, access, resource string) (session.Found, error)
	// Issued reports whether a text is a token of this installation, also for others and also an old one.
	Issued func(text string) bool

	// Before is the Gateway that this one replaces; nil for none. This one takes
	// over its open requests, and the connections of apps that stay the same.
	Before *Gateway
}

// Gateway is the handler of apps. It is safe for concurrent use.
type Gateway struct {
	Config
	issuer  string
	host    string // the host of the public URL, normalized
	proto   string
	apps    []*app
	sites   rule.Sites
	guard   *guard
	open    *open
	buffers *buffers

	personals bool // whether any app takes personal access tokens

	forwardedProto []string
}

// New returns a Gateway. It does not connect to the apps.
func New(c Config) *Gateway {
	public := origin.Of(c.Public)
	g := &Gateway{
		Config: c, issuer: public, proto: c.Public.Scheme, forwardedProto: []string{c.Public.Scheme},
		guard: newGuard(c.Apps), open: newOpen(), buffers: newBuffers(), personals: takesPersonal(c.Apps),
	}
	g.Before = nil // which would keep every Gateway of this process
	_, g.host, _ = strings.Cut(public, "://")
	sites := make([]rule.Site, len(c.Apps))
	if c.Before != nil {
		g.open, g.buffers = c.Before.open, c.Before.buffers
	}
	for i, a := range c.Apps {
		sites[i] = a.Site
		g.apps = append(g.apps, newApp(a, c.Public, g.buffers, c.Log, c.Before.app(a.Name)))
	}
	g.sites = rule.NewSites(sites)
	for _, a := range g.apps {
		if g.keepsStorage(a.Site.Host) {
			a.siteData = cacheOnly
		}
	}
	return g
}

// Mount registers the fallback, which serves the apps, the forward-auth
// endpoint, and the published keys.
func (g *Gateway) Mount(m *server.Mux) {
	m.Handle("GET /.well-known/jwks.json", g.keySet, server.Quiet)
	m.Handle("OPTIONS /.well-known/jwks.json", server.PreflightOfAll, server.Quiet)
	if len(g.apps) > 0 {
		m.Handle("GET "+enterPath, g.depart)
		m.Handle(CheckPath, g.check, server.CrossSite, server.Quiet)
		m.Handle(CheckPath+"/{path...}", g.check, server.CrossSite, server.Quiet)
		m.Fallback(g.serve, server.CrossSite, server.Streaming, server.Quiet)
	}
}

// app returns the app with a name, or nil. g may be nil.
func (g *Gateway) app(name string) *app {
	if g == nil {
		return nil
	}
	i := slices.IndexFunc(g.apps, func(a *app) bool { return a.Name == name })
	if i < 0 {
		return nil
	}
	return g.apps[i]
}

// Close closes idle connections to the apps, except the connections that after has
// taken over. Connections in use close after their request. It also forgets identities, which
// a WebSocket would keep as long as it is open. after may be nil.
func (g *Gateway) Close(after *Gateway) {
	for _, a := range g.apps {
		a.identities.Clear()
		if kept := after.app(a.Name); kept != nil && kept.circuit == a.circuit {
			continue
		}
		if t, ok := a.proxy.Transport.(*transport); ok {
			t.retire()
		}
	}
}

// keepsStorage reports whether some app on a host keeps its data when the
// account changes. Storage belongs to the whole origin.
func (g *Gateway) keepsStorage(host string) bool {
	return slices.ContainsFunc(g.apps, func(a *app) bool { return a.Site.Host == host && a.KeepAllCookies })
}

// originOf returns the origin of a host.
func (g *Gateway) originOf(host string) string { return g.proto + "://" + host }

// ask is a request as the rules see it.
type ask struct {
	method    string
	preflight bool
	host      string
	target    string // path and query as sent
	raw       string // path as sent
	upgrade   bool
	plain     bool // the proxy understands only 401 and 403
	program   bool // sent by a program, so a redirect to a page is useless
}

// visit is the result of a decision.
type visit struct {
	app  *app
	rule rule.Rule
	shown
	found   session.Found // the session, if there is a token
	unknown bool          // the session could not be checked, so nobody is known to have signed out
}

// shown is what a request shows of its user.
type shown struct {
	token    string // session token, access token or personal access token; "" without a session
	resource string // that the access token is for; "" for the others
	personal bool   // it is a personal access token
}

// bearer reports whether the token is of a program.
func (s shown) bearer() bool { return s.resource != "" || s.personal }

// takenBy reports whether an app takes the token that a former one of these settings or of others has let pass.
func (s shown) takenBy(a, former *app) bool {
	return a.follows(former) && (!s.personal || a.Personal && a.Name == former.Name) && (s.resource == "" || a.Resource == s.resource)
}

// serve handles every request without a route.
func (g *Gateway) serve(w http.ResponseWriter, r *http.Request) error {
	asked := ask{
		method: r.Method, preflight: isPreflight(r), host: r.Host, target: r.RequestURI, upgrade: isWebSocket(r),
	}
	if path := r.URL.Path; r.Host != g.host && pages.Own(path) {
		return g.visitAuth(w, r, path)
	}
	if a := g.resourceAt(r.Host, r.URL.Path); a != nil {
		switch r.Method {
		case http.MethodGet, http.MethodHead:
			return g.describe(w, a)
		case http.MethodOptions:
			return server.PreflightOfAll(w, r)
		}
	}
	v, err := g.decide(w, r, &asked)
	if err != nil {
		g.invite(w, r, v.app, err)
		return g.refuse(w, r, asked, err)
	}
	if v.app.Upstream == nil {
		return server.RouteMissing // another proxy forwards to this app
	}
	return g.pass(w, r, asked, v)
}

// decide finds the app and the rule, and decides about the request. The error
// becomes the response.
func (g *Gateway) decide(w http.ResponseWriter, r *http.Request, asked *ask) (visit, error) {
	asked.raw, _, _ = strings.Cut(asked.target, "?")
	a, matched, err := g.route(asked)
	v := visit{app: a, rule: matched}
	if errors.Is(err, server.MethodNotAllowed) {
		w.Header().Set("Allow", "GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS")
	}
	if err == nil {
		v, err = g.admit(w, r, asked, v)
	}
	if err != nil {
		asked.program = v.personal || a.byProgram(r)
	}
	return v, err
}

// route finds the app and the rule of a request. With an error it may return the app alone.
func (g *Gateway) route(asked *ask) (*app, rule.Rule, error) {
	m := rule.Method(asked.method, asked.preflight)
	path, err := rule.Path(asked.raw)
	switch {
	case err != nil:
		return g.routeAsSent(asked, m, err)
	case pages.Own(path):
		return nil, rule.Rule{}, server.RouteMissing
	case m == 0:
		return nil, rule.Rule{}, server.MethodNotAllowed
	}
	_, i, ok := g.sites.Find(asked.host, path)
	if !ok {
		return nil, rule.Rule{}, server.RouteMissing
	}
	found, _, ok := g.sites.MatchAll(i, m, []string{path})
	if !ok {
		return g.apps[i], found, rule.Denied
	}
	return g.apps[i], found, nil
}

// routeAsSent is route for a path that has several readings. refused is why it has.
func (g *Gateway) routeAsSent(asked *ask, m rule.Methods, refused error) (*app, rule.Rule, error) {
	_, i, readings, ok := g.sites.FindAsSent(asked.host, asked.raw)
	switch {
	case !ok:
		return nil, rule.Rule{}, server.Malformed.WithCause(refused)
	case m == 0:
		return nil, rule.Rule{}, server.MethodNotAllowed
	}
	matched, _, ok := g.sites.MatchAll(i, m, readings)
	if !ok {
		return g.apps[i], matched, rule.Denied
	}
	return g.apps[i], matched, nil
}

// admit checks the session and the need of the rule.
func (g *Gateway) admit(w http.ResponseWriter, r *http.Request, asked *ask, v visit) (visit, error) {
	var person *rule.User
	required := error(session.Required)
	s := shown{token: g.token(w, r, asked.host)}
	if text, sent := g.personal(r); sent {
		s, v.personal = shown{token: text, personal: true}, true
	} else if access, sent := v.app.accessToken(r); sent {
		s = shown{token: access, resource: v.app.Resource}
	}
	if s.token != "" || s.personal {
		found, err := g.find(r.Context(), s, v.app, true)
		switch {
		case err == nil:
			v.shown, v.found, person = s, found, personOf(found)
		case s.personal && fault.From(err).Kind != fault.Internal:
			return v, err // also where nobody needs to be signed in: a script should learn of it
		case errors.Is(err, session.Required):
			required = err
		case s.personal || !v.rule.Need.Open():
			return v, unavailable(err)
		default:
			v.unknown = true
		}
	}
	if asked.upgrade && v.token != "" && !v.bearer() && !sameOrigin(r, g.originOf(asked.host)) {
		return v, errOrigin // a page of another origin would act as the user
	}
	verdict := v.rule.Need.Judge(person, g.Clock.Now())
	if v.personal && (verdict == rule.SignInAgain || verdict == rule.SecondFactor) {
		return v, apikey.Unproven
	}
	switch verdict {
	case rule.SignIn:
		return v, required
	case rule.SignInAgain:
		return v, rule.TooOld
	case rule.SecondFactor:
		return v, rule.FactorMissing
	case rule.NoRole:
		return v, rule.Refuse(v.found.User.ID, v.rule.String())
	}
	return v, nil
}

// refuse responds to a refused request. If signing in helps, a navigation is
// redirected, and a script gets the URL.
func (g *Gateway) refuse(w http.ResponseWriter, r *http.Request, asked ask, err error) error {
	switch {
	case fault.From(err).Kind != fault.Unauthenticated:
		return err
	case !asked.program && navigates(r.Header, asked.method):
		return server.SeeOther(w, g.signInURL(asked, g.comeBack(r.Header, asked), err))
	}
	return g.challenge(err)
}

// challenge adds the URL of the page that helps to an error for a script. The script itself
// adds return_to, because only it knows its page.
func (g *Gateway) challenge(err error) error {
	f := fault.From(err)
	params := maps.Clone(f.Params)
	if params == nil {
		params = map[string]string{}
	}
	params["signin_url"] = g.issuer + proofPath("", err)
	return f.WithParams(params)
}

func personOf(found session.Found) *rule.User {
	return &rule.User{Roles: found.User.Roles, AuthenticatedAt: found.Session.AuthenticatedAt, StrongAt: found.Session.StrongAt}
}

// unavailable is the error if the session cannot be checked. It neither lets
// the request pass nor redirects to the sign-in page, which would fail too.
func unavailable(err error) error {
	if errors.Is(err, context.Canceled) {
		return err
	}
	return fault.New(fault.Unavailable, fault.CodeUnavailable).WithRetryAfter(retryAfter).WithCause(err)
}

// isPreflight reports whether a request is a CORS preflight (Fetch,
// CORS-preflight request), which has no body.
func isPreflight(r *http.Request) bool {
	return r.Method == http.MethodOptions && len(r.Header["Origin"]) == 1 && len(r.Header["Access-Control-Request-Method"]) == 1 && r.ContentLength == 0
}

// isWebSocket reports whether a request opens a WebSocket (RFC 6455 4.1).
func isWebSocket(r *http.Request) bool {
	return r.Method == http.MethodGet && strings.EqualFold(r.Header.Get("Upgrade"), "websocket")
}

// sameOrigin reports whether a request comes from a page of the wanted origin.
// Browsers send Origin with every WebSocket, and do not apply CORS to them.
func sameOrigin(r *http.Request, want string) bool {
	sent := r.Header["Origin"]
	return len(sent) == 1 && sent[0] == want
}
