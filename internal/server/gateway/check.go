package gateway

import (
	"errors"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"portico/internal/origin"
	"portico/internal/server"
)

// CheckPath is the forward-auth endpoint. Proxies ask it whether to forward a
// request: nginx auth_request, Caddy forward_auth, Traefik ForwardAuth and
// HAProxy, and Envoy ext_authz, which appends the path of the request.
const CheckPath = "/auth/api/check"

// refusedQuery is the query by which a proxy requests the error page after a
// refusal. The response is never 200, because it would contain the identity.
const refusedQuery = "refused"

// check decides about a request that another proxy describes. The response is
// 200 with the identity in headers, or the response for the client.
func (g *Gateway) check(w http.ResponseWriter, r *http.Request) error {
	if !server.FromTrustedProxy(w) {
		return errUntrusted
	}
	asked, err := g.described(r)
	if err != nil {
		return server.Malformed.WithCause(err)
	}
	v, err := g.decide(w, r, &asked)
	if v.app != nil && v.app.Upstream != nil {
		// A proxy in front of this gateway passes every path on, and is
		// trusted. So a script on a page could send this request and read the
		// user's token.
		return server.RouteMissing
	}
	if err == nil && r.URL.Path == CheckPath && r.URL.RawQuery == refusedQuery {
		err = errNotPassed // the proxy has refused, or the decision has changed since
	}
	if err != nil {
		g.invite(w, r, v.app, err)
		return g.refuseFor(w, r, asked, err)
	}
	return g.allow(w, v)
}

// allow responds with the identity. It sets every header, even if empty: a
// proxy that copies only existing headers would otherwise pass the client's on.
// Only proxies read this response, so it has no security headers.
func (g *Gateway) allow(w http.ResponseWriter, v visit) error {
	server.Bare(w)
	h := w.Header()
	h["Cache-Control"] = []string{"no-store"}
	if v.token == "" {
		for _, header := range v.app.headers {
			h[header.Name] = []string{""}
		}
	} else {
		now := g.Clock.Now()
		id, err := g.identity(v.app, v.found, now)
		if err != nil {
			return unavailable(err)
		}
		id.put(h, v.app, v.found, now)
	}
	w.WriteHeader(http.StatusOK)
	return nil
}

// refuseFor responds to a proxy. A proxy that uses X-Original-URL, such as
// nginx, understands only 401 and 403, and takes the sign-in URL from Location.
func (g *Gateway) refuseFor(w http.ResponseWriter, r *http.Request, asked ask, err error) error {
	if !asked.plain {
		if navigates(r.Header, asked.method) {
			if u, bad := url.ParseRequestURI(asked.target); bad == nil {
				server.About(w, r, asked.method, asked.host, u)
			}
		}
		return g.refuse(w, r, asked, err)
	}
	switch server.Status(err) {
	case http.StatusUnauthorized:
		if asked.program || !navigates(r.Header, asked.method) {
			return g.challenge(err)
		}
		server.Note(w, err)
		w.Header().Set("Location", g.signInURL(asked, g.comeBack(r.Header, asked), err))
		w.WriteHeader(http.StatusUnauthorized)
		return nil
	case http.StatusBadRequest, http.StatusNotFound, http.StatusMethodNotAllowed:
		return errNotPassed.WithCause(err)
	}
	return err
}

var (
	errTwoWays   = errors.New("the request is described in two ways: the proxy must clear X-Forwarded-Uri and X-Forwarded-Method, or X-Original-URL and X-Original-Method")
	errNoRequest = errors.New("the description of the request is incomplete: the proxy must set X-Forwarded-Method, -Proto, -Host and -Uri, or X-Original-Method and X-Original-URL, each once")
)

// described returns the request that the proxy asks about. It returns an error
// if further headers, which the client could have sent, describe the request as
// well.
func (g *Gateway) described(r *http.Request) (ask, error) {
	h := r.Header
	_, envoy := strings.CutPrefix(r.URL.Path, CheckPath+"/")
	forwarded := has(h, "X-Forwarded-Uri", "X-Forwarded-Method")
	original := has(h, "X-Original-Url", "X-Original-Method", "X-Original-Uri")
	switch {
	case envoy && !forwarded && !original:
		return g.asks(r, r.Method, g.proto, r.Host, strings.TrimPrefix(r.RequestURI, CheckPath))
	case envoy, forwarded && original:
		return ask{}, errTwoWays
	case forwarded:
		all, ok := each(h, "X-Forwarded-Method", "X-Forwarded-Proto", "X-Forwarded-Host", "X-Forwarded-Uri")
		if !ok {
			return ask{}, errNoRequest
		}
		return g.asks(r, all[0], all[1], all[2], all[3])
	}
	all, ok := each(h, "X-Original-Method", "X-Original-Url")
	if !ok {
		return ask{}, errNoRequest
	}
	proto, rest, ok := strings.Cut(all[1], "://")
	at := strings.IndexByte(rest, '/')
	if !ok || at < 0 {
		return ask{}, errors.New("X-Original-URL is not a whole URL: write $scheme://$server_name$request_uri")
	}
	asked, err := g.asks(r, all[0], proto, rest[:at], rest[at:])
	asked.plain = true
	return asked, err
}

// asks builds an ask from the values that a proxy sent.
func (g *Gateway) asks(r *http.Request, method, proto, host, target string) (ask, error) {
	proto = strings.Replace(strings.ToLower(proto), "ws", "http", 1) // Traefik uses the scheme ws for WebSockets
	if proto != g.proto {
		return ask{}, errors.New("the request came by " + proto + ", and public_url is " + g.proto)
	}
	if !g.ownSite(host) {
		u, err := url.Parse(proto + "://" + host)
		if err != nil || u.Host != host || u.User != nil {
			return ask{}, errors.New("the host of the request is malformed")
		}
		host = strings.TrimPrefix(origin.Of(u), proto+"://")
	}
	upgrade := opensSocket(r.Header)
	if upgrade && method == http.MethodConnect {
		method = http.MethodGet // as in the same handshake over HTTP/1.1
	}
	return ask{
		method: method, host: host, target: target,
		preflight: method == http.MethodOptions && len(r.Header["Origin"]) == 1 && len(r.Header["Access-Control-Request-Method"]) == 1,
		upgrade:   upgrade,
	}, nil
}

// ownSite reports whether a normalized host belongs to an app.
func (g *Gateway) ownSite(host string) bool {
	return slices.ContainsFunc(g.apps, func(a *app) bool { return a.Site.Host == host })
}

func has(h http.Header, names ...string) bool {
	for _, name := range names {
		if len(h[name]) > 0 {
			return true
		}
	}
	return false
}

// each returns the values of headers. It returns false unless each header
// occurs exactly once and is not empty.
func each(h http.Header, names ...string) ([]string, bool) {
	values := make([]string, len(names))
	for i, name := range names {
		if len(h[name]) != 1 || h[name][0] == "" {
			return nil, false
		}
		values[i] = h[name][0]
	}
	return values, true
}
