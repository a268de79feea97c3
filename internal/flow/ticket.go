package flow

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"time"

	"portico/internal/secret"
	"portico/internal/session"
)

// The three texts that carry a session to an app's host. Each is sealed for that
// host, and for its own purpose.
const (
	forBind      = "bind"      // app's host -> public host, in an address: which browser begins
	forTicket    = "ticket"    // public host -> app's host, in a form: the session
	forAdmission = "admission" // in a cookie at the app's host: a ticket that was spent
)

// clockSlack is by how much the common clocks of two nodes may differ.
const clockSlack = 20 * time.Second

// crossingLife is how long a bind, a ticket and an admission last.
const crossingLife = 20*time.Second + clockSlack

// crossing is what a bind, a ticket or an admission holds.
type crossing struct {
	Token   string `json:"token,omitempty"` // of the session; a bind has none
	Nonce   []byte `json:"nonce"`           // hash of the cookie that the browser has at the host
	Expires int64  `json:"expires"`         // by the common clock
}

// TicketStore remembers which tickets were presented.
type TicketStore interface {
	// SpendTicket notes a ticket until a time, and reports whether this call is
	// the first to do so.
	SpendTicket(ctx context.Context, hash []byte, until time.Time) (bool, error)
}

// Bind returns what names a browser at an app's host, for the way to the public
// host. Only the server makes one, and only the browser with the nonce matches it.
func (f *Flows) Bind(host, nonce string) string {
	return f.sealFor(forBind, host, crossing{Nonce: secret.Hash(nonce)})
}

// IssueTicket returns a ticket with which the browser of a bind takes its session to a
// host, or Unknown when the bind is not one of ours or has expired. The cookie at
// that host is different from that of the public host: it opens nothing elsewhere.
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

// RedeemTicket spends a ticket and returns an admission, or Unknown when the ticket was
// made for another host, has expired or was presented before. What becomes of the
// admission does not matter: the ticket stays spent, on every node.
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

// RedeemAdmission exchanges an admission for the value of the session cookie at a host, or
// returns Unknown: it belongs to another host or another browser, or has expired.
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

// TokenAt returns the session token in the cookie of an app's host, "" when the
// value was not made for that host.
func (f *Flows) TokenAt(host, value string) string {
	token, ok := f.openText("session", host, value)
	if !ok {
		return ""
	}
	return string(token)
}

func (f *Flows) sealFor(what, host string, c crossing) string {
	c.Expires = f.common.Now().Add(crossingLife).Unix()
	data, err := json.Marshal(c)
	if err != nil {
		panic(err) // texts and a number always have a JSON form
	}
	return f.sealText(what, host, data)
}

func (f *Flows) openFor(what, host, value string) (c crossing, ok bool) {
	data, ok := f.openText(what, host, value)
	return c, ok && json.Unmarshal(data, &c) == nil && f.common.Now().Unix() < c.Expires
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
