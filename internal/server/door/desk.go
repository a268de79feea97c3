package door

import (
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"net/http"
	"net/url"
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
	waitingLife  = 24 * time.Hour // the longest lifetime of a flow
	doneLife     = time.Minute    // time to load the next page
)

// Desk translates between requests and flows: it reads the caller, and sets the
// cookies of results. It is safe for concurrent use.
type Desk struct {
	Flows     *flow.Flows
	Targets   flow.Targets
	Catalogue *locale.Catalogue

	clock   clock.Clock
	session server.Cookie
	browser server.Cookie
	device  server.Cookie
	link    server.Cookie
	way     server.Cookie
	cross   server.Cookie
	ticket  server.Cookie
	waiting server.Cookie
	done    server.Cookie
}

// NewDesk returns a Desk for the site at the public URL.
func NewDesk(flows *flow.Flows, catalogue *locale.Catalogue, c clock.Clock, public *url.URL) *Desk {
	return &Desk{
		Flows: flows, Targets: flows.Targets(), Catalogue: catalogue, clock: c,
		session: server.NewCookie(public, "session"), browser: server.NewCookie(public, "browser"),
		device: server.NewCookie(public, "device"), link: server.NewCookie(public, "link"),
		way: server.NewCookie(public, "provider"), cross: server.NewCookie(public, "crossing"),
		ticket:  server.NewCookie(public, "ticket"),
		waiting: server.NewCookie(public, "flow"), done: server.NewCookie(public, "done"),
	}
}

// Caller describes the sender of a request.
func (d *Desk) Caller(w http.ResponseWriter, r *http.Request) flow.Caller {
	addr := server.ClientAddr(r)
	c := flow.Caller{
		Peer:      server.PeerNetwork(addr).String(),
		Agent:     agent(r.UserAgent()),
		Locale:    d.Locale(r),
		RequestID: server.RequestID(r.Context()),
	}
	for i, network := range server.AroundPeer(addr) {
		if network.IsValid() {
			c.Around[i] = network.String()
		}
	}
	c.Session, _ = d.session.Read(w, r)
	c.Browser, _ = d.browser.Read(w, r)
	c.Device, _ = d.device.Read(w, r)
	return c
}

// Session returns the caller's session, or session.Required or session.Ended.
// It clears an unknown cookie. The cookie of an ended session stays until the
// sign-in page has shown the reason.
func (d *Desk) Session(w http.ResponseWriter, r *http.Request) (session.Found, error) {
	token, ok := d.session.Read(w, r)
	if !ok {
		return session.Found{}, session.Required
	}
	found, err := d.Flows.Session(r.Context(), token)
	if errors.Is(err, session.Required) && !errors.Is(err, session.Ended) {
		d.session.Clear(w)
	}
	return found, err
}

// SessionToken returns the session token in the request, or "".
func (d *Desk) SessionToken(w http.ResponseWriter, r *http.Request) string {
	token, _ := d.session.Read(w, r)
	return token
}

// ClearSession deletes the session cookie.
func (d *Desk) ClearSession(w http.ResponseWriter) { d.session.Clear(w) }

// Locale returns the available locale that the browser prefers.
func (d *Desk) Locale(r *http.Request) string {
	return d.Catalogue.Match(r.Header.Get("Accept-Language"))
}

// Give sets the cookies of a result.
func (d *Desk) Give(w http.ResponseWriter, result flow.Result) {
	if result.Held != nil {
		server.Note(w, result.Held) // the response reveals nothing, so log the reason
	}
	d.keepBrowser(w, result.Browser)
	if strings.HasPrefix(result.Next, pages.VerifyCode) {
		d.waiting.Write(w, result.FlowID, waitingLife)
	}
	if result.Device != "" {
		d.device.Write(w, result.Device, deviceLife)
	}
	if result.Session == nil {
		return
	}
	if result.Provider != "" {
		d.way.Write(w, result.Provider, deviceLife)
	} else {
		d.way.Clear(w)
	}
	d.session.Write(w, result.Session.Value, result.Session.ExpiresAt.Sub(d.clock.Now())+session.Remembered)
}

// BindBrowser sets the cookie that flows are bound to, before a form that mails
// a code. If a response is lost and the form is sent again, both come from the
// same browser, and the codes of both emails work.
func (d *Desk) BindBrowser(w http.ResponseWriter, r *http.Request) {
	if value, _ := d.browser.Read(w, r); !secret.ValidToken(value) {
		d.keepBrowser(w, secret.Token())
	}
}

func (d *Desk) keepBrowser(w http.ResponseWriter, fresh string) {
	if fresh != "" {
		d.browser.Write(w, fresh, browserLife)
	}
}

// KeepSession sets the session cookie on the host of an app.
func (d *Desk) KeepSession(w http.ResponseWriter, value string, found session.Found) {
	d.session.Write(w, value, found.Session.ExpiresAt.Sub(d.clock.Now())+session.Remembered)
}

// KeepCrossing stores the nonce that binds a session's transfer to this
// browser.
func (d *Desk) KeepCrossing(w http.ResponseWriter, nonce string) {
	d.cross.Write(w, nonce, crossingLife)
}

// Crossing returns the nonce of KeepCrossing, or "".
func (d *Desk) Crossing(w http.ResponseWriter, r *http.Request) string {
	nonce, _ := d.cross.Read(w, r)
	return nonce
}

// KeepAdmission stores the admission that replaced a ticket, until the next
// request.
func (d *Desk) KeepAdmission(w http.ResponseWriter, admission string) {
	d.ticket.Write(w, admission, crossingLife)
}

// TakeAdmission returns the value of KeepAdmission, or "", and clears it.
func (d *Desk) TakeAdmission(w http.ResponseWriter, r *http.Request) string {
	admission, there := d.ticket.Read(w, r)
	if there {
		d.ticket.Clear(w)
	}
	return admission
}

// LastProvider returns the id of the provider of the last sign-in in this
// browser, or "" after another method. The cookie outlives signing out and
// identifies no user.
func (d *Desk) LastProvider(w http.ResponseWriter, r *http.Request) string {
	id, _ := d.way.Read(w, r)
	return id
}

// Waiting returns the flow for which this browser was last sent a code, or ""
// if it waits for none.
func (d *Desk) Waiting(w http.ResponseWriter, r *http.Request) (string, error) {
	id, ok := d.waiting.Read(w, r)
	if !ok {
		return "", nil
	}
	v, err := d.Flows.View(r.Context(), d.Caller(w, r), id)
	switch {
	case errors.Is(err, flow.Unknown), err == nil && v.Step != flow.Verify:
		return "", nil
	case err != nil:
		return "", err
	}
	return id, nil
}

// Say stores a message for the next page, which reads it with Said.
func (d *Desk) Say(w http.ResponseWriter, word string) { d.done.Write(w, word, doneLife) }

// Said returns the message of Say once, or "".
func (d *Desk) Said(w http.ResponseWriter, r *http.Request) string {
	word, ok := d.done.Read(w, r)
	if ok {
		d.done.Clear(w)
	}
	return word
}

// KeepLink moves the token of a mailed link into a cookie, so that later URLs,
// the history and Referer headers do not contain it.
func (d *Desk) KeepLink(w http.ResponseWriter, token string) { d.link.Write(w, token, linkLife) }

// Link returns the token of KeepLink, or "".
func (d *Desk) Link(w http.ResponseWriter, r *http.Request) string {
	token, _ := d.link.Read(w, r)
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
