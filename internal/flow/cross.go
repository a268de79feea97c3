package flow

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"time"

	"portico/internal/clock"
	"portico/internal/secret"
	"portico/internal/session"
)

// crossingLife is how long a browser has for the way from the public host to
// that of an app: a minute, also when the node there is ahead of the one here.
const crossingLife = time.Minute + clock.MaxSkew

// crossing is what a ticket holds, sealed for one host.
type crossing struct {
	Token   string `json:"token"`
	Bind    string `json:"bind"` // hash of a cookie that the browser has at that host
	Expires int64  `json:"expires"`
}

// Cross returns a ticket with which the browser that has the bind's cookie at a
// host takes its session there. The host's cookie is another one than that of
// the public host: it opens nothing elsewhere.
func (f *Flows) Cross(ctx context.Context, token, host, bind string) (ticket string, err error) {
	if _, err := f.PeekSession(ctx, token); err != nil {
		return "", err
	}
	data, err := json.Marshal(crossing{Token: token, Bind: bind, Expires: f.clock.Now().Add(crossingLife).Unix()})
	return f.sealFor("ticket", host, data), err
}

// Arrive exchanges a ticket for the value of the session cookie at a host, or
// returns Unknown: it was made for another host, for another browser, or too
// long ago. A ticket is worth nothing without the cookie that it is bound to, so
// that an address that leaks opens no session.
func (f *Flows) Arrive(ctx context.Context, ticket, host, nonce string) (value string, found session.Found, err error) {
	data, ok := f.openFor("ticket", host, ticket)
	var c crossing
	if !ok || json.Unmarshal(data, &c) != nil || nonce == "" || !secret.Equal([]byte(c.Bind), []byte(Bind(nonce))) || f.clock.Now().Unix() >= c.Expires {
		return "", session.Found{}, Unknown
	}
	if found, err = f.PeekSession(ctx, c.Token); err != nil {
		return "", session.Found{}, err
	}
	return f.sealFor("session", host, []byte(c.Token)), found, nil
}

// TokenAt returns the session token in the cookie of an app's host, "" when the
// value was not made for that host.
func (f *Flows) TokenAt(host, value string) string {
	token, ok := f.openFor("session", host, value)
	if !ok {
		return ""
	}
	return string(token)
}

// Bind returns the hash by which a ticket names the cookie that it needs.
func Bind(nonce string) string {
	return base64.RawURLEncoding.EncodeToString(secret.Hash(nonce))
}

func (f *Flows) sealFor(what, host string, data []byte) string {
	return base64.RawURLEncoding.EncodeToString(f.crossings.Seal(data, what+" "+host))
}

func (f *Flows) openFor(what, host, value string) ([]byte, bool) {
	sealed, err := base64.RawURLEncoding.DecodeString(value)
	if err != nil {
		return nil, false
	}
	data, err := f.crossings.Open(sealed, what+" "+host)
	return data, err == nil
}
