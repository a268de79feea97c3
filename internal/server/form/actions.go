package form

import (
	"crypto/sha256"
	"encoding/base64"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"portico/internal/clock"
	"portico/internal/flow"
	"portico/internal/locale"
	"portico/internal/pages"
	"portico/internal/secret"
	"portico/internal/server"
	"portico/internal/session"
	"portico/internal/trust"
)

const (
	maxAgent = 300 // size limit of a User-Agent in bytes

	// browserLife exceeds the lifetime of every flow. deviceLife is how long an
	// account recognizes a browser.
	browserLife = 30 * 24 * time.Hour
	deviceLife  = 400 * 24 * time.Hour // the maximum age of a cookie in browsers
	linkLife    = time.Hour

	// crossingLife exceeds the time in which a session reaches an app's host.
	crossingLife = 10 * time.Minute
	flowLife     = 24 * time.Hour // the longest lifetime of a flow
	doneLife     = time.Minute    // time to load the next page
)

// Actions translates between requests and flows: it reads the caller, and sets the
// cookies of results. It is safe for concurrent use.
type Actions struct {
	Flows     *flow.Flows
	Targets   flow.Targets
	Catalogue *locale.Catalogue

	owner *flow.Owner
	clock clock.Clock

	// The cookies.
	session, browser, device, trust, link, alarm, provider, crossing, ticket, flow, done, made, undo, app, locale, appLocale server.Cookie
}

// NewActions returns the Actions of the site at the public URL.
func NewActions(flows *flow.Flows, owner *flow.Owner, catalogue *locale.Catalogue, c clock.Clock, public *url.URL) *Actions {
	cookie := func(name string) server.Cookie { return server.NewCookie(public, name) }
	return &Actions{
		Flows: flows, Targets: flows.Targets(), Catalogue: catalogue, owner: owner, clock: c,
		session: cookie("session"), browser: cookie("browser"), device: cookie("device"), trust: cookie("trust"), link: cookie("link"),
		alarm: cookie("alarm"), provider: cookie("provider"), crossing: cookie("crossing"), ticket: cookie("ticket"), flow: cookie("flow"),
		done: cookie("done"), made: cookie("made"), undo: cookie("undo"), app: cookie("app"), locale: cookie("locale"), appLocale: cookie("app-locale"),
	}
}

// Now returns the time of the server.
func (a *Actions) Now() time.Time { return a.clock.Now() }

// Caller describes the sender of a request.
func (a *Actions) Caller(w http.ResponseWriter, r *http.Request) flow.Caller {
	addr := server.ClientAddr(r)
	c := flow.Caller{
		Peer:      server.PeerNetwork(addr).String(),
		Agent:     agent(r.UserAgent()),
		RequestID: server.RequestID(r.Context()),
	}
	c.Locale, c.Chosen = a.localeOf(w, r)
	for i, network := range server.AroundPeer(addr) {
		if network.IsValid() {
			c.Around[i] = network.String()
		}
	}
	c.Session, _ = a.session.Read(w, r)
	c.BrowserCookie, _ = a.browser.Read(w, r)
	c.Device, _ = a.device.Read(w, r)
	c.Trust, _ = a.trust.Read(w, r)
	return c
}

// Session returns the caller's session, or session.Required or session.Ended. It leaves the
// cookie alone: another request may have replaced it by now. That of an ended session stays
// until the sign-in page has shown the reason.
func (a *Actions) Session(w http.ResponseWriter, r *http.Request) (session.Found, error) {
	token, ok := a.session.Read(w, r)
	if !ok {
		return session.Found{}, session.Required
	}
	return a.Flows.Session(r.Context(), token)
}

// SessionToken returns the session token in the request, or "".
func (a *Actions) SessionToken(w http.ResponseWriter, r *http.Request) string {
	token, _ := a.session.Read(w, r)
	return token
}

// ClearSession deletes the session cookie.
func (a *Actions) ClearSession(w http.ResponseWriter) { a.session.Clear(w) }

// Give sets the cookies of a result.
func (a *Actions) Give(w http.ResponseWriter, result flow.Result) {
	if result.Held != nil {
		server.Note(w, result.Held) // the response reveals nothing, so log the reason
	}
	a.keepBrowser(w, result.BrowserCookie)
	if path, _, _ := strings.Cut(result.Next, "?"); slices.Contains([]string{pages.VerifyCode, pages.MFA, pages.Terms, pages.Keep, pages.Protect}, path) {
		a.flow.Write(w, result.FlowID, flowLife)
	}
	if result.Device != "" {
		a.device.Write(w, result.Device, deviceLife)
	}
	if result.Trust != "" {
		a.trust.Write(w, result.Trust, trust.Life)
	}
	if result.Session == nil {
		return
	}
	if result.Provider != "" {
		a.provider.Write(w, result.Provider, deviceLife)
	} else {
		a.provider.Clear(w)
	}
	a.KeepSession(w, result.Session.Value, result.Session.ExpiresAt)
}

// BindBrowser returns the cookie that flows are bound to, and sets one if there is none. A page does so before
// a form that mails a code: if a response is lost and the form is sent again, both come from the
// same browser, and the codes of both emails work.
func (a *Actions) BindBrowser(w http.ResponseWriter, r *http.Request) string {
	value, _ := a.browser.Current(w, r)
	if !secret.ValidToken(value) {
		value = secret.Token()
		a.keepBrowser(w, value)
	}
	return value
}

func (a *Actions) keepBrowser(w http.ResponseWriter, fresh string) {
	if fresh != "" {
		a.browser.Write(w, fresh, browserLife)
	}
}

// KeepSession sets the session cookie of a session that ends at a time at the latest.
func (a *Actions) KeepSession(w http.ResponseWriter, value string, ends time.Time) {
	a.session.Write(w, value, ends.Sub(a.clock.Now())+session.Remembered)
}

// KeepCrossing stores the nonce that binds a session's transfer to this
// browser.
func (a *Actions) KeepCrossing(w http.ResponseWriter, nonce string) {
	a.crossing.Write(w, nonce, crossingLife)
}

// Crossing returns the nonce of KeepCrossing, or "".
func (a *Actions) Crossing(w http.ResponseWriter, r *http.Request) string {
	nonce, _ := a.crossing.Read(w, r)
	return nonce
}

// KeepAdmission stores the admission that replaced a ticket, until the next
// request.
func (a *Actions) KeepAdmission(w http.ResponseWriter, admission string) {
	a.ticket.Write(w, admission, crossingLife)
}

// TakeAdmission returns the value of KeepAdmission, or "", and clears it.
func (a *Actions) TakeAdmission(w http.ResponseWriter, r *http.Request) string {
	admission, there := a.ticket.Read(w, r)
	if there {
		a.ticket.Clear(w)
	}
	return admission
}

// LastProvider returns the id of the provider of the last sign-in in this
// browser, or "" after another method. The cookie outlives signing out and
// identifies no user.
func (a *Actions) LastProvider(w http.ResponseWriter, r *http.Request) string {
	id, _ := a.provider.Read(w, r)
	return id
}

// Waiting returns the flow for which this browser was last sent a code, or ""
// if it waits for none.
func (a *Actions) Waiting(w http.ResponseWriter, r *http.Request) (string, error) {
	v, err := a.waitingAt(w, r, flow.Verify)
	return v.ID, err
}

// Say stores a message for the next page, which reads it with Said.
func (a *Actions) Say(w http.ResponseWriter, word string) { a.done.Write(w, word, doneLife) }

// Said returns the message of Say once, or "".
func (a *Actions) Said(w http.ResponseWriter, r *http.Request) string {
	word, ok := a.done.Read(w, r)
	if ok {
		a.done.Clear(w)
	}
	return word
}

// AtClient returns the return target by which KeepApp knows an OpenID client.
func AtClient(id string) string {
	return pages.With(pages.Authorize, url.Values{"client_id": {id}})
}

// KeepApp keeps a return target in an app until the browser is closed: the account pages lead
// back there.
func (a *Actions) KeepApp(w http.ResponseWriter, r *http.Request, at string) {
	if a.App(w, r) != at {
		a.app.Write(w, base64.RawURLEncoding.EncodeToString([]byte(at)), 0)
	}
}

// App returns the value of KeepApp, or "". Check it: the settings may have changed since.
func (a *Actions) App(w http.ResponseWriter, r *http.Request) string {
	value, _ := a.app.Current(w, r)
	at, _ := base64.RawURLEncoding.DecodeString(value)
	return string(at)
}

// KeepLink moves the token of a mailed link into a cookie, so that later URLs,
// the history and Referer headers do not contain it.
func (a *Actions) KeepLink(w http.ResponseWriter, token string) { a.link.Write(w, token, linkLife) }

// Link returns the token of KeepLink, or "".
func (a *Actions) Link(w http.ResponseWriter, r *http.Request) string {
	token, _ := a.link.Read(w, r)
	return token
}

// LinkMark identifies a mailed link on its page. It grants nothing, and differs
// from the hash in the database.
func LinkMark(token string) string {
	sum := sha256.Sum256([]byte("portico confirm-link page\x00" + token))
	return base64.RawURLEncoding.EncodeToString(sum[:16])
}

// agent returns the printable ASCII of a User-Agent, limited to maxAgent bytes.
// The value is stored, shown and mailed.
func agent(s string) string {
	if len(s) > maxAgent {
		s = s[:maxAgent]
	}
	return strings.Map(func(r rune) rune {
		if r < ' ' || r > '~' || r == utf8.RuneError {
			return -1
		}
		return r
	}, s)
}
