package flow

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"strings"
	"time"

	"portico/internal/clock"
	"portico/internal/secret"
	"portico/internal/session"
)

// The three values that bring a session to an app's host. Each is sealed for that
// host and for one purpose.
const (
	forBind      = "bind"      // app's host to public host, in a URL: names the browser
	forTicket    = "ticket"    // public host to app's host, in a form: holds the session
	forAdmission = "admission" // in a cookie at the app's host: the ticket was redeemed
)

// clockSlack is the most that the shared clocks of two nodes may differ.
const clockSlack = 20 * time.Second

// crossingLife is how long a bind, a ticket and an admission last.
const crossingLife = 20*time.Second + clockSlack

// crossing is the content of a bind, a ticket or an admission.
type crossing struct {
	Token   string `json:"token,omitempty"` // session token; a bind has none
	Nonce   []byte `json:"nonce"`           // hash of the nonce cookie that the browser has at the host
	Expires int64  `json:"expires"`         // by the shared clock
}

// TicketStore stores which tickets were redeemed.
type TicketStore interface {
	// SpendTicket stores the hash of a ticket until a time, and reports whether
	// this call was the first for it.
	SpendTicket(ctx context.Context, hash []byte, until time.Time) (bool, error)
}

// Bind returns a value that names a browser at an app's host to the public host.
// Only the server can make it, and only the browser with the nonce matches it.
func (f *Flows) Bind(host, nonce string) string {
	return f.sealFor(forBind, host, crossing{Nonce: secret.Hash(nonce)})
}

// IssueTicket returns a ticket with which the browser of a bind takes its session
// to a host. It returns Unknown if the bind is invalid or has expired. The session
// cookie at that host differs from the cookie of the public host, and works at no
// other host.
func (f *Flows) IssueTicket(ctx context.Context, token, host, bind string) (ticket string, err error) {
	if _, err := f.PeekSession(ctx, token); err != nil {
		return "", err
	}
	c, ok := f.openFor(forBind, host, bind)
	if !ok {
		return "", Unknown
	}
	return f.sealFor(forTicket, host, crossing{Token: token, Nonce: c.Nonce}), nil
}

// RedeemTicket exchanges a ticket for an admission. It returns Unknown if the
// ticket was made for another host, has expired or was redeemed before. A redeemed
// ticket is invalid on every node, even if the admission is lost.
func (f *Flows) RedeemTicket(ctx context.Context, ticket, host string) (admission string, err error) {
	c, ok := f.openFor(forTicket, host, ticket)
	if !ok {
		return "", Unknown
	}
	hash, until := sha256.Sum256([]byte(ticket)), time.Unix(c.Expires, 0).Add(clockSlack)
	first := false
	err = f.store.Write(ctx, func(tx Tx) (err error) {
		first, err = tx.SpendTicket(ctx, hash[:], until)
		return err
	})
	switch {
	case err != nil:
		return "", err
	case !first:
		return "", Unknown
	}
	return f.sealFor(forAdmission, host, crossing{Token: c.Token, Nonce: c.Nonce}), nil
}

// RedeemAdmission exchanges an admission for the value of the session cookie at a
// host. It returns Unknown if the admission belongs to another host or browser, or
// has expired.
func (f *Flows) RedeemAdmission(ctx context.Context, admission, host, nonce string) (value string, found session.Found, err error) {
	c, ok := f.openFor(forAdmission, host, admission)
	if !ok || nonce == "" || !secret.Equal(c.Nonce, secret.Hash(nonce)) {
		return "", session.Found{}, Unknown
	}
	if found, err = f.PeekSession(ctx, c.Token); err != nil {
		return "", session.Found{}, err
	}
	return f.sealText("session", host, []byte(c.Token)), found, nil
}

// TokenAt returns the session token in the cookie of a host, or "". At the public host the value is the token. That of an
// app's host was made for that host.
func (f *Flows) TokenAt(host, value string) string {
	if _, public, _ := strings.Cut(f.settings.Targets.Self, "://"); host == public {
		return value
	}
	token, ok := f.openText("session", host, value)
	if !ok {
		return ""
	}
	return string(token)
}

func (f *Flows) sealFor(what, host string, c crossing) string {
	c.Expires = f.clock.Now().Add(crossingLife).Unix()
	data, err := json.Marshal(c)
	if err != nil {
		panic(err) // strings and a number always have a JSON form
	}
	return f.sealText(what, host, data)
}

func (f *Flows) openFor(what, host, value string) (c crossing, ok bool) {
	data, ok := f.openText(what, host, value)
	return c, ok && json.Unmarshal(data, &c) == nil && clock.Valid(time.Unix(c.Expires, 0), crossingLife, f.clock.Now())
}

func (f *Flows) sealText(what, host string, data []byte) string {
	return secret.Encode(f.crossings.Seal(data, what+" "+host))
}

func (f *Flows) openText(what, host, value string) ([]byte, bool) {
	sealed, ok := secret.Decode(value)
	if !ok {
		return nil, false
	}
	data, err := f.crossings.Open(sealed, what+" "+host)
	return data, err == nil
}
