package gateway

import (
	"errors"
	"html/template"
	"net/http"
	"net/url"
	"strings"

	"portico/internal/flow"
	"portico/internal/pages"
	"portico/internal/rule"
	"portico/internal/secret"
	"portico/internal/server"
	"portico/internal/server/form"
	"portico/internal/session"
)

// A session reaches an app's own host, which does not get the cookie of the public
// host, in four requests:
//
//	GET  app/auth/enter     sets a nonce cookie, and redirects with its hash (bind)
//	GET  public/auth/enter  reads the session, and returns a form with a ticket
//	POST app/auth/arrive    redeems the ticket, and sets an admission cookie
//	GET  app/auth/arrive    reads both cookies, and sets the session cookie
//
// No URL contains a ticket: scripts of the app can read every URL on their host,
// and can make Portico's response there fail.
const (
	enterPath  = pages.Root + "/enter"
	arrivePath = pages.Root + "/arrive"
)

// visitAuth handles paths below /auth on the host of an app.
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
	case path == pages.SignOut && r.Method == http.MethodPost:
		return g.signOut(w, r)
	case r.Method == http.MethodGet && navigates(r.Header, r.Method):
		return server.SeeOther(w, g.issuer+r.RequestURI) // the screens are on the public host
	}
	return server.RouteMissing
}

// enter starts the transfer, on the host of the app.
func (g *Gateway) enter(w http.ResponseWriter, r *http.Request) error {
	nonce := g.Actions.Crossing(w, r) // another tab may have set it
	if !secret.ValidToken(nonce) {
		nonce = secret.Token()
	}
	g.Actions.KeepCrossing(w, nonce)
	to := g.localTarget(r.URL.Query().Get("to"))
	values := url.Values{"to": {g.originOf(r.Host) + to}, "bind": {g.Actions.Flows.Bind(r.Host, nonce)}}
	return leave(w, g.issuer+enterPath+"?"+values.Encode())
}

// depart runs on the public host. It issues a ticket, or redirects to the
// sign-in page if there is no session. It issues tickets only for top-level
// navigations.
func (g *Gateway) depart(w http.ResponseWriter, r *http.Request) error {
	query := r.URL.Query()
	to := g.Actions.Targets.Check(query.Get("to")).String()
	u, err := url.Parse(to)
	if err != nil || !g.ownHost(u.Host) || !navigates(r.Header, r.Method) {
		return flow.Unknown
	}
	ticket, err := g.Actions.Flows.IssueTicket(r.Context(), g.Actions.SessionToken(w, r), u.Host, query.Get("bind"))
	switch {
	case errors.Is(err, session.Required):
		return leave(w, proofPath(to, err))
	case errors.Is(err, flow.Unknown):
		return leave(w, to) // an old page or link: the app's host starts again if necessary
	case err != nil:
		return err
	}
	origin := g.originOf(u.Host)
	page := server.PostForm{
		To: template.URL(origin + arrivePath), Host: u.Host, Lead: true,
		Values: url.Values{"ticket": {ticket}, "to": {strings.TrimPrefix(to, origin)}},
	}
	return page.Write(w, g.Actions.Catalogue, g.Actions.Locale(w, r))
}

// ticketForm is the form that the public host sends to the host of an app.
type ticketForm struct {
	Ticket string `json:"ticket"`
	To     string `json:"to"`
}

// accept redeems the ticket, on the host of the app. The form is a cross-site
// request, so the browser may omit cookies. Therefore accept only sets the
// admission cookie and redirects.
func (g *Gateway) accept(w http.ResponseWriter, r *http.Request) error {
	if err := server.Bound(w, r); err != nil {
		return err
	}
	in, err := form.Receive[ticketForm](r)
	if err != nil {
		return err
	}
	admission, err := g.Actions.Flows.RedeemTicket(r.Context(), in.Ticket, r.Host)
	if err != nil && !errors.Is(err, flow.Unknown) {
		return err
	}
	if err == nil {
		g.Actions.KeepAdmission(w, admission)
	}
	return leave(w, arrivePath+"?"+url.Values{"to": {g.localTarget(in.To)}}.Encode())
}

// arrive ends the transfer. Without an admission, and without a session from
// another tab, it redirects to a page on the public host. The app's page would
// start again, endlessly if the browser refuses cookies.
func (g *Gateway) arrive(w http.ResponseWriter, r *http.Request) error {
	to := g.localTarget(r.URL.Query().Get("to"))
	value, found, err := g.Actions.Flows.RedeemAdmission(r.Context(), g.Actions.TakeAdmission(w, r), r.Host, g.Actions.Crossing(w, r))
	if err == nil {
		g.Actions.KeepSession(w, value, found.Session.ExpiresAt)
		return leave(w, to)
	}
	if !errors.Is(err, flow.Unknown) && !errors.Is(err, session.Required) {
		return err
	}
	switch _, err := g.Actions.Flows.PeekSession(r.Context(), g.token(w, r, r.Host)); {
	case err == nil:
		return leave(w, to)
	case !errors.Is(err, session.Required):
		return unavailable(err)
	}
	server.Note(w, flow.Unknown)
	return leave(w, g.issuer+pages.With(pages.Error, url.Values{"code": {flow.CodeFlowUnknown}, "return_to": {g.originOf(r.Host) + to}}))
}

// localTarget returns a return target on the requested host, or "/".
func (g *Gateway) localTarget(raw string) string {
	if to := g.Actions.Targets.Check(raw).String(); strings.HasPrefix(to, "/") {
		return to
	}
	return "/"
}

// leave redirects without a Referer.
func leave(w http.ResponseWriter, to string) error {
	w.Header().Set("Referrer-Policy", "no-referrer")
	return server.SeeOther(w, to)
}

// signOut ends the session, from the host of an app, for all apps.
func (g *Gateway) signOut(w http.ResponseWriter, r *http.Request) error {
	if server.CheckOrigin(r, g.originOf(r.Host)) != nil {
		return errOrigin
	}
	c := g.Actions.Caller(w, r)
	c.Session = g.token(w, r, r.Host)
	if err := g.Actions.Flows.SignOut(r.Context(), c); err != nil {
		return err
	}
	g.Actions.ClearSession(w)
	data := everySiteData
	if g.keepsStorage(r.Host) {
		data = cacheOnly
	}
	w.Header().Set("Clear-Site-Data", data)
	to := r.URL.Query().Get("return_to")
	if strings.HasPrefix(to, "/") {
		to = g.originOf(r.Host) + to
	}
	return server.SeeOther(w, g.issuer+pages.ReturnTo(pages.SignedOut, g.Actions.Targets.Check(to).String()))
}

// token returns the session token that the browser sent to a host, or "".
func (g *Gateway) token(w http.ResponseWriter, r *http.Request, host string) string {
	return g.Actions.Flows.TokenAt(host, g.Actions.SessionToken(w, r))
}

// signInURL returns the URL where a visitor signs in, or gives what else err says
// is missing, to return to a target on the host of the request.
func (g *Gateway) signInURL(asked ask, target string, err error) string {
	if asked.host == g.host && target == g.Actions.Targets.Fallback {
		target = "" // the default target keeps the URL short
	}
	switch {
	case asked.host == g.host && asked.plain:
		return g.issuer + proofPath(target, err)
	case asked.host == g.host:
		return proofPath(target, err)
	case errors.Is(err, rule.TooOld), errors.Is(err, rule.FactorMissing):
		return g.issuer + proofPath(g.originOf(asked.host)+target, err)
	}
	return g.originOf(asked.host) + enterPath + "?" + url.Values{"to": {target}}.Encode()
}

// ownHost reports whether a host belongs to an app and is not the public host.
func (g *Gateway) ownHost(host string) bool { return host != g.host && g.ownSite(host) }
