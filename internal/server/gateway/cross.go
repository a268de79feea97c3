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
	"portico/internal/server/door"
	"portico/internal/session"
)

// The way of a session to an app's own host, where the cookie of the public host
// does not go:
//
//	app/auth/enter     leaves a nonce in a cookie, and names the browser by a bind
//	public/auth/enter  has the session, and answers with a form that sends a ticket
//	app/auth/arrive    takes the form, spends the ticket, and keeps an admission
//	app/auth/arrive    reads the two cookies, and sets that of the session
//
// No address holds a ticket: scripts of the app can read every address at their
// host, and can make our answer there fail.
const (
	enterPath  = "/auth/enter"
	arrivePath = "/auth/arrive"
)

// visitAuth answers what is below /auth on an app's own host.
func (g *Gateway) visitAuth(w http.ResponseWriter, r *http.Request, path string) error {
	switch {
	case path == CheckPath || strings.HasPrefix(path, CheckPath+"/"):
		return g.check(w, r)
	case path == enterPath && r.Method == http.MethodGet:
		return g.enter(w, r)
	case path == arrivePath && r.Method == http.MethodPost:
		return g.accept(w, r)
	case path == arrivePath && r.Method == http.MethodGet:
		return g.arrive(w, r)
	case path == "/auth/signout" && r.Method == http.MethodPost:
		return g.signOut(w, r)
	case r.Method == http.MethodGet && navigates(r.Header, r.Method):
		return server.SeeOther(w, g.issuer+r.RequestURI) // the screens are at the public host
	}
	return server.RouteMissing
}

// enter is where the way begins, at the app's host.
func (g *Gateway) enter(w http.ResponseWriter, r *http.Request) error {
	nonce := g.desk.Crossing(w, r) // of another tab
	if !secret.ValidToken(nonce) {
		nonce = secret.Token()
	}
	g.desk.KeepCrossing(w, nonce)
	to := g.localTarget(r.URL.Query().Get("to"))
	values := url.Values{"to": {g.originOf(r.Host) + to}, "bind": {g.desk.Flows.Bind(r.Host, nonce)}}
	return leave(w, g.issuer+enterPath+"?"+values.Encode())
}

// depart is the public host's part: it sends the session on, or signs in first.
// Only what a person sees as a page of its own gets a ticket.
func (g *Gateway) depart(w http.ResponseWriter, r *http.Request) error {
	query := r.URL.Query()
	to := g.desk.Targets.Check(query.Get("to")).String()
	u, err := url.Parse(to)
	if err != nil || !g.ownHost(u.Host) || !navigates(r.Header, r.Method) {
		return flow.Unknown
	}
	ticket, err := g.desk.Flows.Cross(r.Context(), g.desk.SessionToken(w, r), u.Host, query.Get("bind"))
	switch {
	case errors.Is(err, session.Required):
		return leave(w, signInPath(to, false))
	case errors.Is(err, flow.Unknown):
		return leave(w, to) // Back, or an old link: the way begins anew there if it has to
	case err != nil:
		return err
	}
	return g.handOver(w, r, u.Host, ticketForm{Ticket: ticket, To: strings.TrimPrefix(to, g.originOf(u.Host))})
}

// ticketForm is what the public host sends to that of an app.
type ticketForm struct {
	Ticket string `json:"ticket"`
	To     string `json:"to"`
}

// accept takes the form at the app's host. The browser may send no cookies with
// it, since it comes from another site: it gets a cookie more and comes back.
func (g *Gateway) accept(w http.ResponseWriter, r *http.Request) error {
	if err := server.Bound(w, r); err != nil {
		return err
	}
	in, err := door.Receive[ticketForm](r)
	if err != nil {
		return err
	}
	admission, err := g.desk.Flows.Accept(r.Context(), in.Ticket, r.Host)
	if err != nil && !errors.Is(err, flow.Unknown) {
		return err
	}
	if err == nil {
		g.desk.KeepAdmission(w, admission)
	}
	return leave(w, arrivePath+"?"+url.Values{"to": {g.localTarget(in.To)}}.Encode())
}

// arrive is where the way ends. Whoever has no admission, and no session from
// another tab, goes to a page at the public host: the app's page would begin the
// way anew, without an end where a browser refuses cookies.
func (g *Gateway) arrive(w http.ResponseWriter, r *http.Request) error {
	to := g.localTarget(r.URL.Query().Get("to"))
	value, found, err := g.desk.Flows.Arrive(r.Context(), g.desk.TakeAdmission(w, r), r.Host, g.desk.Crossing(w, r))
	if err == nil {
		g.desk.KeepSession(w, value, found)
		return leave(w, to)
	}
	if !errors.Is(err, flow.Unknown) && !errors.Is(err, session.Required) {
		return err
	}
	if _, already := g.desk.Flows.PeekSession(r.Context(), g.token(w, r, r.Host)); already == nil {
		return leave(w, to)
	}
	server.Note(w, flow.Unknown)
	return leave(w, g.issuer+"/auth/error?"+url.Values{"code": {flow.CodeFlowUnknown}, "return_to": {g.originOf(r.Host) + to}}.Encode())
}

// localTarget returns a target at the host that is asked.
func (g *Gateway) localTarget(raw string) string {
	if to := g.desk.Targets.Check(raw).String(); strings.HasPrefix(to, "/") {
		return to
	}
	return "/"
}

// leave sends the browser on without a word about where it was.
func leave(w http.ResponseWriter, to string) error {
	w.Header().Set("Referrer-Policy", "no-referrer")
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
	data := everySiteData
	if g.keepsStorage(r.Host) {
		data = cacheOnly
	}
	w.Header().Set("Clear-Site-Data", data)
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
	if asked.host == g.host && target == g.desk.Targets.Fallback {
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
