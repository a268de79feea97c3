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
	"portico/internal/secret"
	"portico/internal/server"
	"portico/internal/session"
)

const (
	maxAgent = 300 // bytes of a User-Agent that are kept

	// browserLife outlives every flow; deviceLife is how long a browser is
	// known to its owner's account.
	browserLife = 30 * 24 * time.Hour
	deviceLife  = 400 * 24 * time.Hour // the most that browsers keep a cookie
	linkLife    = time.Hour

	// crossingLife is longer than any way of a session to an app's host.
	crossingLife = 10 * time.Minute
	waitingLife  = 24 * time.Hour // of the flow that lives longest
	doneLife     = time.Minute    // the way to the next page
)

// Desk receives requests for the flows and gives their results back. It is
// safe for concurrent use.
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

// Caller says who asks.
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

// Session returns the caller's session, session.Required or session.Ended. A
// cookie that opens nothing is cleared; that of a session that has ended stays
// until the sign-in page has said why.
func (d *Desk) Session(w http.ResponseWriter, r *http.Request) (session.Found, error) {
	token, ok := d.session.Read(w, r)
	if !ok {
		return session.Found{}, session.Required
	}
	found, err := d.Flows.Session(r.Context(), flow.Caller{Session: token})
	if errors.Is(err, session.Required) && !errors.Is(err, session.Ended) {
		d.session.Clear(w)
	}
	return found, err
}

// SessionToken returns the session token that the browser sends, "" without one.
func (d *Desk) SessionToken(w http.ResponseWriter, r *http.Request) string {
	token, _ := d.session.Read(w, r)
	return token
}

// ClearSession tells the browser to forget a session that has ended.
func (d *Desk) ClearSession(w http.ResponseWriter) { d.session.Clear(w) }

// Locale returns the locale that the browser asks for, of those there are.
func (d *Desk) Locale(r *http.Request) string {
	return d.Catalogue.Match(r.Header.Get("Accept-Language"))
}

// Give sets the cookies of a result.
func (d *Desk) Give(w http.ResponseWriter, result flow.Result) {
	if result.Held != nil {
		server.Note(w, result.Held) // the answer is the usual one, so the log line tells
	}
	d.keepBrowser(w, result.Browser)
	if strings.HasPrefix(result.Next, verifyPath) {
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

// BindBrowser gives a browser the cookie that flows are bound to, before it
// sends a form that mails a code. An answer that gets lost is then repeated by
// the same browser, and the code of either mail holds in it.
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

// KeepSession sets the session cookie of another host than the public one.
func (d *Desk) KeepSession(w http.ResponseWriter, value string, found session.Found) {
	d.session.Write(w, value, found.Session.ExpiresAt.Sub(d.clock.Now())+session.Remembered)
}

// KeepCrossing keeps what binds the way of a session to this browser.
func (d *Desk) KeepCrossing(w http.ResponseWriter, nonce string) {
	d.cross.Write(w, nonce, crossingLife)
}

// Crossing returns what KeepCrossing kept, "" without it.
func (d *Desk) Crossing(w http.ResponseWriter, r *http.Request) string {
	nonce, _ := d.cross.Read(w, r)
	return nonce
}

// KeepAdmission keeps what a ticket was exchanged for, until the next request.
func (d *Desk) KeepAdmission(w http.ResponseWriter, admission string) {
	d.ticket.Write(w, admission, crossingLife)
}

// TakeAdmission returns what KeepAdmission kept, "" without it, and clears it.
func (d *Desk) TakeAdmission(w http.ResponseWriter, r *http.Request) string {
	admission, there := d.ticket.Read(w, r)
	if there {
		d.ticket.Clear(w)
	}
	return admission
}

// LastProvider returns the id of the provider by which this browser was signed
// in last, "" for another way or none. It outlives a sign-out and names nobody.
func (d *Desk) LastProvider(w http.ResponseWriter, r *http.Request) string {
	id, _ := d.way.Read(w, r)
	return id
}

// verifyPath is the page that waits for a mailed code, before the id of its flow.
const verifyPath = "/auth/verify-code?flow="

// Waiting returns the flow that this browser was last sent a code for, "" when
// it waits for none.
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

// Say lets the next page say what was done. The page takes the word by Said.
func (d *Desk) Say(w http.ResponseWriter, word string) { d.done.Write(w, word, doneLife) }

// Said returns what Say kept, once; "" without it.
func (d *Desk) Said(w http.ResponseWriter, r *http.Request) string {
	word, ok := d.done.Read(w, r)
	if ok {
		d.done.Clear(w)
	}
	return word
}

// KeepLink moves a mailed link's token into a cookie, so that it is in no URL
// after the first: not in the history, and not in a Referer.
func (d *Desk) KeepLink(w http.ResponseWriter, token string) { d.link.Write(w, token, linkLife) }

// Link returns the token that KeepLink kept.
func (d *Desk) Link(w http.ResponseWriter, r *http.Request) string {
	token, _ := d.link.Read(w, r)
	return token
}

// LinkMark names a mailed link on the page that is shown for it. It opens
// nothing, and is not the hash that the database keeps.
func LinkMark(token string) string {
	sum := sha256.Sum256([]byte("portico confirm-link page\x00" + token))
	return base64.RawURLEncoding.EncodeToString(sum[:16])
}

// agent caps a User-Agent and leaves printable text of it: it is stored, shown
// and mailed.
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
