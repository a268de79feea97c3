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

// CheckPath is where another proxy asks whether it may forward a request: nginx
// auth_request, Caddy forward_auth, Traefik ForwardAuth, HAProxy, and with the
// request's path behind it Envoy ext_authz.
const CheckPath = "/auth/api/check"

// refusedQuery is the query by which a proxy that has been told to refuse asks for
// the answer to the browser. That is never 200: the identity would be in it.
const refusedQuery = "refused"

// check decides on a request that another proxy describes, as serve does on its
// own: 200 with the identity in headers, or what the client is to be answered.
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
		// A proxy in front of our own gateway hands everything on, and is trusted as
		// well: a script of a page could have it ask, and read the person's token.
		return server.RouteMissing
	}
	if err == nil && r.URL.RawQuery == refusedQuery {
		err = errNotPassed // the proxy refuses by itself, or something has changed since it asked
	}
	if err != nil {
		return g.refuseFor(w, r, asked, err)
	}
	return g.allow(w, v)
}

// allow answers with the identity: every name, also without a value, since a
// proxy that copies only what it finds would leave what the client sent. No
// browser reads this answer, so it has no headers for one.
func (g *Gateway) allow(w http.ResponseWriter, v visit) error {
	server.Bare(w)
	h := w.Header()
	h["Cache-Control"] = []string{"no-store"}
	if v.token == "" {
		for _, header := range v.app.headers {
			h[header.Name] = []string{""}
		}
	} else {
		now := g.clock.Now()
		id, err := g.identity(v.app, v.found, now)
		if err != nil {
			return unavailable(err)
		}
		id.put(h, v.app, v.found, now)
	}
	w.WriteHeader(http.StatusOK)
	return nil
}

// refuseFor answers a proxy that asks. One that names the request by
// X-Original-URL, as nginx does, understands 401 and 403 only, and reads the way
// to the sign-in page from Location.
func (g *Gateway) refuseFor(w http.ResponseWriter, r *http.Request, asked ask, err error) error {
	if !asked.plain {
		if u, bad := url.ParseRequestURI(asked.target); bad == nil && navigates(r.Header, asked.method) {
			server.About(w, r, asked.method, asked.host, u)
		}
		return g.refuse(w, r, asked, err)
	}
	switch server.Status(err) {
	case http.StatusUnauthorized:
		if !navigates(r.Header, asked.method) {
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
	errNoRequest = errors.New("the request is not described whole: the proxy must set X-Forwarded-Method, -Proto, -Host and -Uri, or X-Original-Method and X-Original-URL, each once")
)

// described reads the request that the proxy is asked for. What could be the
// client's own invention beside it makes the question void.
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
		return ask{}, errors.New("X-Original-URL is not a whole URL: write $scheme://$http_host$request_uri")
	}
	asked, err := g.asks(r, all[0], proto, rest[:at], rest[at:])
	asked.plain = true
	return asked, err
}

// asks makes a question of its parts.
func (g *Gateway) asks(r *http.Request, method, proto, host, target string) (ask, error) {
	proto = strings.Replace(strings.ToLower(proto), "ws", "http", 1) // Traefik says so of a WebSocket
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
		method = http.MethodGet // of the same handshake over HTTP/1.1
	}
	return ask{
		method: method, host: host, target: target,
		preflight: method == http.MethodOptions && len(r.Header["Origin"]) == 1 && len(r.Header["Access-Control-Request-Method"]) == 1,
		upgrade:   upgrade,
	}, nil
}

// ownSite reports whether a host is that of an app, in the spelling of origins.
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

// each returns the values of headers that are there once each.
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
