package client

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"net/url"
	"strings"
	"time"
)

// TokenHeader is the request header in which Portico sends an app the identity
// of the user.
const TokenHeader = "X-Portico-Token"

// DefaultAudience is the name of the app of the setting upstream.
const DefaultAudience = "app"

var (
	// ErrRefused means that the credentials of a request do not come from
	// Portico, are for another app, or have expired.
	ErrRefused = errors.New("the sign-in of this request is not valid")

	// ErrUnavailable means that the identity cannot be checked at the moment,
	// because Portico does not answer.
	ErrUnavailable = errors.New("portico does not answer")
)

// Options are the choices of an app. The zero value fits the app of the setting
// upstream.
type Options struct {
	// Audience is the claim aud of the tokens for this app. It is the name of
	// the app in Portico's configuration, unless the configuration sets another
	// audience. "" is DefaultAudience.
	Audience string

	// Address is the URL at which the app reaches Portico if it is not the
	// public URL, such as "http://10.0.0.5:8080". The network in between must
	// be trusted.
	Address string

	// AskPortico checks each request's cookie at Portico instead of verifying a
	// token. It is for an app under Portico's host that has no gateway in
	// front.
	AskPortico bool

	// Transport carries the requests to Portico. Nil is http.DefaultTransport.
	Transport http.RoundTripper

	// Log receives the reasons for refused requests and failed fetches of keys.
	// Nil is slog.Default().
	Log *slog.Logger
}

// Client identifies the user of a request. It is safe for concurrent use. An
// app creates one.
type Client struct {
	issuer   string // scheme://host of the public URL
	scheme   string
	host     string
	audience string
	ask      bool
	portico  *portico
	keys     *keySet
	log      *slog.Logger
}

// New returns a client of the Portico whose setting public_url is the given
// URL. It sends no request yet.
func New(publicURL string, o Options) (*Client, error) {
	public, err := parseOrigin(publicURL)
	if err != nil {
		return nil, fmt.Errorf("portico client: the public URL %q %w", publicURL, err)
	}
	if public.Scheme == "http" && !isLoopback(public.Hostname()) {
		return nil, fmt.Errorf("portico client: the public URL %q must begin with https://: without it anybody on the way can replace the keys", publicURL)
	}
	address := public
	if o.Address != "" {
		if address, err = parseOrigin(o.Address); err != nil {
			return nil, fmt.Errorf("portico client: the address %q %w", o.Address, err)
		}
	}
	c := &Client{
		issuer: public.Scheme + "://" + public.Host, scheme: public.Scheme, host: public.Host,
		audience: o.Audience, ask: o.AskPortico, portico: newPortico(address, public.Host, o.Transport), log: o.Log,
	}
	if c.audience == "" {
		c.audience = DefaultAudience
	}
	if c.log == nil {
		c.log = slog.Default()
	}
	c.keys = newKeySet(c.portico.keys, c.log)
	return c, nil
}

// parseOrigin parses scheme://host[:port] in the form that browsers send.
func parseOrigin(s string) (*url.URL, error) {
	u, err := url.Parse(s)
	switch {
	case err != nil, u.Scheme != "https" && u.Scheme != "http", u.Hostname() == "", strings.Trim(u.Path, "/") != "",
		u.RawQuery != "", u.Fragment != "", u.User != nil:
		return nil, errors.New("is not of the form https://example.com")
	}
	u.Host = strings.ToLower(u.Host)
	for scheme, port := range map[string]string{"https": ":443", "http": ":80"} {
		if u.Scheme == scheme {
			u.Host = strings.TrimSuffix(u.Host, port)
		}
	}
	return u, nil
}

func isLoopback(host string) bool {
	ip := net.ParseIP(host)
	return host == "localhost" || strings.HasSuffix(host, ".localhost") || ip != nil && ip.IsLoopback()
}

// Identity is the user who is signed in.
type Identity struct {
	ID              string   // never changes and is never reused: store this one
	Email           string   // verified; may change
	Name            string   // may be empty
	Roles           []string // as the operator has set them
	Methods         []string // the proofs of the sign-in: "password", "mail", "passkey", "operator_link", "provider:google", then "totp", "passkey" or "recovery_code"
	SessionID       string   // distinguishes the sessions of a user
	AuthenticatedAt time.Time
}

// HasRole reports whether the user has the role.
func (i Identity) HasRole(name string) bool {
	for _, role := range i.Roles {
		if role == name {
			return true
		}
	}
	return false
}

type contextKey struct{}

// User returns the user that the middleware has found. It returns false without
// a user.
func User(ctx context.Context) (Identity, bool) {
	i, ok := ctx.Value(contextKey{}).(Identity)
	return i, ok
}
