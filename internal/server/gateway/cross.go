package gateway

import (
	"errors"
	"net/http"
	"net/url"
	"strings"

	"portico/internal/flow"
	"portico/internal/rule"
	"portico/internal/secret"
	"portico/internal/server"
	"portico/internal/session"
)

// The way of a session to an app's own host, where the cookie of the public host
// does not go: app -> app/auth/enter, which leaves a nonce in a cookie ->
// public/auth/enter, where the session is -> app/auth/enter with a ticket bound
// to that nonce -> app.
const enterPath = "/auth/enter"

// visitAuth answers what is below /auth on an app's own host.
func (g *Gateway) visitAuth(w http.ResponseWriter, r *http.Request, path string) error {
	switch {
	case path == CheckPath || strings.HasPrefix(path, CheckPath+"/"):
		return g.check(w, r)
	case path == enterPath && r.Method == http.MethodGet:
		return g.arrive(w, r)
	case path == "/auth/signout" && r.Method == http.MethodPost:
		return g.signOut(w, r)
	case r.Method == http.MethodGet && navigates(r.Header, r.Method):
		return server.SeeOther(w, g.issuer+r.RequestURI) // the screens are at the public host
	}
	return server.RouteMissing
}

// depart is the public host's part: it sends the session on, or signs in first.
func (g *Gateway) depart(w http.ResponseWriter, r *http.Request) error {
	query := r.URL.Query()
	to, bind := g.targets.Clean(query.Get("to")), query.Get("bind")
	u, err := url.Parse(to)
	if err != nil || !g.ownHost(u.Host) || len(bind) != len(flow.Bind("")) {
		return flow.Unknown
	}
	ticket, err := g.desk.Flows.Cross(r.Context(), g.desk.SessionToken(w, r), u.Host, bind)
	switch {
	case errors.Is(err, session.Required):
		return server.SeeOther(w, signInPath(to, false))
	case err != nil:
		return err
	}
	values := url.Values{"ticket": {ticket}, "to": {strings.TrimPrefix(to, g.originOf(u.Host))}}
	return server.SeeOther(w, g.originOf(u.Host)+enterPath+"?"+values.Encode())
}

// arrive is the app's host's part: without a ticket the way begins, with one it
// ends.
func (g *Gateway) arrive(w http.ResponseWriter, r *http.Request) error {
	query := r.URL.Query()
	to := g.targets.Clean(query.Get("to"))
	if !strings.HasPrefix(to, "/") {
		to = "/"
	}
	if !query.Has("ticket") {
		nonce := g.desk.Crossing(w, r) // of another tab
		if nonce == "" {
			nonce = secret.Token()
			g.desk.KeepCrossing(w, nonce)
		}
		values := url.Values{"to": {g.originOf(r.Host) + to}, "bind": {flow.Bind(nonce)}}
		return server.SeeOther(w, g.issuer+enterPath+"?"+values.Encode())
	}
	value, found, err := g.desk.Flows.Arrive(r.Context(), query.Get("ticket"), r.Host, g.desk.Crossing(w, r))
	if err != nil {
		if _, already := g.desk.Flows.PeekSession(r.Context(), g.token(w, r, r.Host)); already == nil {
			return server.SeeOther(w, to) // Back, or a tab that was slower than another
		}
		return err
	}
	g.desk.KeepSession(w, value, found)
	return server.SeeOther(w, to)
}

// signOut ends the session from an app's own host, for every app.
func (g *Gateway) signOut(w http.ResponseWriter, r *http.Request) error {
	if !sameOrigin(r, g.originOf(r.Host)) {
		return errOrigin
	}
	if err := g.desk.Flows.SignOut(r.Context(), flow.Caller{Session: g.token(w, r, r.Host)}); err != nil {
		return err
	}
	g.desk.ClearSession(w)
	return server.SeeOther(w, g.issuer+"/auth/signed-out")
}

// token returns the session token of a browser at a host.
func (g *Gateway) token(w http.ResponseWriter, r *http.Request, host string) string {
	value := g.desk.SessionToken(w, r)
	if value == "" || host == g.host {
		return value
	}
	return g.desk.Flows.TokenAt(host, value)
}

// signInURL is where a person at a host signs in to come back to a target there.
func (g *Gateway) signInURL(asked ask, target string, err error) string {
	again := errors.Is(err, rule.TooOld)
	if asked.host == g.host && target == g.targets.Fallback {
		target = "" // where people go anyway: the address stays short
	}
	switch {
	case asked.host == g.host && asked.plain:
		return g.issuer + signInPath(target, again)
	case asked.host == g.host:
		return signInPath(target, again)
	case again:
		return g.issuer + signInPath(g.originOf(asked.host)+target, true)
	}
	return g.originOf(asked.host) + enterPath + "?" + url.Values{"to": {target}}.Encode()
}

// ownHost reports whether a host is that of an app and not the public one.
func (g *Gateway) ownHost(host string) bool { return host != g.host && g.ownSite(host) }
