package egress

import (
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"mime"
	"net"
	"net/http"
	"net/url"
	"strings"
	"time"
)

// Limits of one exchange, unless Config sets its own. A set of a hundred keys,
// 2 KiB each with its certificate, fits into defaultMaxBytes. A larger limit
// would let a broken server use more processor time for each sign-in.
const (
	defaultTimeout  = 5 * time.Second
	defaultMaxBytes = 256 << 10

	maxHeaderBytes = 64 << 10
	idleTimeout    = 90 * time.Second
	idlePerHost    = 8
)

// ErrRefused says that the guard stopped a request: its address is not public
// or its scheme is not https, and its origin is not in Config.Allow.
var ErrRefused = errors.New("the request is not allowed to leave")

// ErrTooLarge says that a response is longer than Config.MaxBytes.
var ErrTooLarge = errors.New("the answer is too large")

// ErrGone says that a server answers 404 or 410.
var ErrGone = errors.New("it is not there")

// Config describes a client.
type Config struct {
	// Allow holds the origins ("https://id.corp.test", "http://127.0.0.1:9000")
	// that may have private or loopback addresses and may use plain http.
	// Link-local addresses and others where clouds keep their metadata stay closed.
	Allow []string

	Timeout  time.Duration // of the whole exchange, body included; 0: 5 s
	MaxBytes int64         // of an answer's body; 0: 256 KiB
	Resolver *net.Resolver // nil: the system's

	Roots *x509.CertPool // trusted authorities; nil: the system's

	// Proxy returns the HTTP proxy for https to the host and port of a URL, nil for
	// none. The guard judges the server behind it all the same.
	Proxy func(*url.URL) (*url.URL, error)
}

// Client sends guarded requests. It is safe for concurrent use. It has a type
// of its own, so that it is never confused with an unguarded client.
type Client struct {
	http *http.Client
}

// New returns a client, or an error that names the malformed origin.
func New(cfg Config) (*Client, error) {
	if cfg.Timeout == 0 {
		cfg.Timeout = defaultTimeout
	}
	if cfg.MaxBytes == 0 {
		cfg.MaxBytes = defaultMaxBytes
	}
	allow := make(map[string]bool)
	hosts := make(map[string]string)
	for _, text := range cfg.Allow {
		u, err := url.Parse(text)
		if err != nil || !plainOrigin(u) {
			return nil, fmt.Errorf("%q is not an origin: write it as https://host or https://host:port", text)
		}
		allow[origin(u)] = true
		hosts[hostPort(u)] = u.Scheme
	}
	transport := &http.Transport{
		DialContext:            newDialer(hosts, cfg).DialContext,
		TLSClientConfig:        &tls.Config{MinVersion: tls.VersionTLS12, RootCAs: cfg.Roots},
		TLSHandshakeTimeout:    cfg.Timeout, // the transport goes on connecting when the caller has given up
		ForceAttemptHTTP2:      true,
		MaxResponseHeaderBytes: maxHeaderBytes,
		MaxIdleConnsPerHost:    idlePerHost,
		IdleConnTimeout:        idleTimeout,
	}
	return &Client{http: &http.Client{
		Transport:     &guard{next: transport, allow: allow, maxBytes: cfg.MaxBytes},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		Timeout:       cfg.Timeout,
	}}, nil
}

// HTTP returns the client in the form that libraries take. Its Transport,
// CheckRedirect and Timeout are the guard: callers leave them alone, or wrap
// the Transport in a copy of the client.
func (c *Client) HTTP() *http.Client { return c.http }

// Do sends a request. An error does not have the address, whose query may hold a secret of the server.
func (c *Client) Do(r *http.Request) (*http.Response, error) {
	answer, err := c.http.Do(r)
	if failed, ok := errors.AsType[*url.Error](err); ok {
		err = fmt.Errorf("%s: %w", r.URL.Host, failed.Err)
	}
	return answer, err
}

// Get returns a JSON document, whatever type the server gives it.
func (c *Client) Get(ctx context.Context, url string) ([]byte, error) {
	return c.get(ctx, url, func(http.Header) error { return nil })
}

// GetJSON is Get for an address that a stranger has named: the server must say that it
// answers with JSON. A site that only stores the files of strangers rarely says so, and
// so no stranger speaks for it.
func (c *Client) GetJSON(ctx context.Context, url string) ([]byte, error) {
	return c.get(ctx, url, CheckJSON)
}

// PostJSON posts JSON with the headers, and returns the JSON of the answer.
func (c *Client) PostJSON(ctx context.Context, url string, headers http.Header, body []byte) ([]byte, error) {
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, url, bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	r.Header = headers
	r.Header.Set("Content-Type", "application/json")
	return c.do(r, CheckJSON)
}

// CheckJSON returns an error unless the type of an answer is application/json, or one of the
// +json family, such as application/jwk-set+json (RFC 6839 3.1).
func CheckJSON(h http.Header) error {
	kind, _, err := mime.ParseMediaType(h.Get("Content-Type"))
	if err != nil || kind != "application/json" && !(strings.HasPrefix(kind, "application/") && strings.HasSuffix(kind, "+json")) {
		return fmt.Errorf("the content type of the answer is %.64q, not application/json", h.Get("Content-Type"))
	}
	return nil
}

func (c *Client) get(ctx context.Context, url string, check func(http.Header) error) ([]byte, error) {
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return nil, err
	}
	return c.do(r, check)
}

func (c *Client) do(r *http.Request, check func(http.Header) error) ([]byte, error) {
	r.Header.Set("Accept", "application/json")
	answer, err := c.Do(r)
	if err != nil {
		return nil, err
	}
	defer func() { _ = answer.Body.Close() }()
	if answer.StatusCode == http.StatusNotFound || answer.StatusCode == http.StatusGone {
		return nil, fmt.Errorf("%s%s answered %d: %w", r.URL.Host, r.URL.Path, answer.StatusCode, ErrGone)
	}
	if answer.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("%s%s answered %d", r.URL.Host, r.URL.Path, answer.StatusCode)
	}
	if err := check(answer.Header); err != nil {
		return nil, err
	}
	return io.ReadAll(answer.Body)
}

// Close closes idle connections.
func (c *Client) Close() { c.http.CloseIdleConnections() }

// plainOrigin reports whether u has a scheme and a host and nothing else.
func plainOrigin(u *url.URL) bool {
	return (u.Scheme == "https" || u.Scheme == "http") && u.Hostname() != "" && u.User == nil &&
		(u.Path == "" || u.Path == "/") && u.RawQuery == "" && !u.ForceQuery && u.Fragment == ""
}

func origin(u *url.URL) string { return u.Scheme + "://" + hostPort(u) }

// hostPort returns what the transport dials for u, in lower case.
func hostPort(u *url.URL) string {
	port := u.Port()
	if port == "" {
		port = map[string]string{"http": "80", "https": "443"}[u.Scheme]
	}
	return net.JoinHostPort(strings.ToLower(u.Hostname()), port)
}
