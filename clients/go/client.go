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

// TokenHeader is the request header in which Portico tells an app who is there.
const TokenHeader = "X-Portico-Token"

// DefaultAudience is the name of the app that the setting upstream makes.
const DefaultAudience = "app"

var (
	// ErrRefused says that what a request brings does not come from Portico, is
	// for another app, or is over.
	ErrRefused = errors.New("the sign-in of this request is not valid")

	// ErrUnavailable says that nobody can tell at the moment: Portico does not
	// answer.
	ErrUnavailable = errors.New("portico does not answer")
)

// Options are what an app may choose. The zero value fits the app of the setting
// upstream.
type Options struct {
	// Audience is the claim aud of the tokens for this app: its name in Portico's
	// configuration unless another audience is set there. "" is DefaultAudience.
	Audience string

	// Address is where the app reaches Portico when that is not its public URL:
	// "http://10.0.0.5:8080". The network between must be yours.
	Address string

	// AskPortico looks each request's cookie up at Portico in place of verifying a
	// token. It is for an app without a gateway in front, under Portico's host.
	AskPortico bool

	// Transport carries the requests to Portico. Nil is http.DefaultTransport.
	Transport http.RoundTripper

	// Log gets why requests are refused and keys cannot be fetched. Nil is silent.
	Log *slog.Logger
}

// Client tells who is signed in. It is safe for concurrent use; an app makes one.
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

// New returns a client of the Portico at a public URL, as its setting public_url
// says. It asks nothing of it yet.
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
		c.log = slog.New(slog.DiscardHandler)
	}
	c.keys = newKeySet(c.portico.keys, c.log)
	return c, nil
}

// parseOrigin reads scheme://host[:port] in the form that browsers write.
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

// Identity is who is signed in.
type Identity struct {
	ID              string   // never changes and is never given again: what to store
	Email           string   // verified; may change
	Name            string   // may be empty
	Roles           []string // as the operator has set them
	Methods         []string // the proofs given: "password", "mail", "provider:google"
	SessionID       string   // tells the sessions of a person apart
	AuthenticatedAt time.Time
}

// HasRole reports whether the person has the role.
func (i Identity) HasRole(name string) bool {
	for _, role := range i.Roles {
		if role == name {
			return true
		}
	}
	return false
}

type contextKey struct{}

// User returns who the middleware has found, or false for nobody.
func User(ctx context.Context) (Identity, bool) {
	i, ok := ctx.Value(contextKey{}).(Identity)
	return i, ok
}
