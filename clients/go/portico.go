package client

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/go-jose/go-jose/v4"
)

const (
	answerTime = 5 * time.Second
	maxAnswer  = 64 << 10
	maxKeys    = 32
	keysPath   = "/.well-known/jwks.json"
)

// portico is the connection of the app to the server.
type portico struct {
	address *url.URL
	host    string // as browsers send it
	http    *http.Client
}

func newPortico(address *url.URL, host string, transport http.RoundTripper) *portico {
	return &portico{address, host, &http.Client{
		Transport: transport, Timeout: answerTime,
		// A redirect would let another server choose the keys.
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}}
}

// get fetches a JSON document with any status.
func (p *portico) get(ctx context.Context, path string, cookies []string, into any) (status int, err error) {
	url := p.address.JoinPath(path).String()
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return 0, err
	}
	r.Host = p.host
	r.Header.Set("Accept", "application/json")
	if cookies != nil {
		r.Header["Cookie"] = cookies
	}
	answer, err := p.http.Do(r)
	if err != nil {
		return 0, err
	}
	defer answer.Body.Close()
	body, err := io.ReadAll(io.LimitReader(answer.Body, maxAnswer+1))
	switch {
	case err != nil:
		return 0, err
	case answer.StatusCode != http.StatusOK:
		return answer.StatusCode, nil
	case len(body) > maxAnswer:
		return 0, fmt.Errorf("the answer of %s is longer than %d bytes", url, maxAnswer)
	}
	if err := json.Unmarshal(body, into); err != nil {
		return 0, fmt.Errorf("the answer of %s: %w", url, err)
	}
	return answer.StatusCode, nil
}

// keys fetches the keys that may sign tokens. It leaves out keys of another
// type or for another use.
func (p *portico) keys(ctx context.Context) (map[string]*ecdsa.PublicKey, error) {
	var set struct{ Keys []json.RawMessage }
	status, err := p.get(ctx, keysPath, nil, &set)
	switch {
	case err != nil:
		return nil, err
	case status != http.StatusOK:
		return nil, fmt.Errorf("GET %s is answered with %d", p.address.JoinPath(keysPath), status)
	case len(set.Keys) > maxKeys:
		return nil, fmt.Errorf("there are %d keys, more than %d", len(set.Keys), maxKeys)
	}
	keys := make(map[string]*ecdsa.PublicKey)
	for _, raw := range set.Keys {
		var k jose.JSONWebKey
		if k.UnmarshalJSON(raw) != nil || k.KeyID == "" || k.Algorithm != string(jose.ES256) || k.Use != "sig" {
			continue
		}
		if public, ok := k.Key.(*ecdsa.PublicKey); ok && public.Curve == elliptic.P256() {
			keys[k.KeyID] = public
		}
	}
	if len(keys) == 0 {
		return nil, errors.New("there is no key for ES256 in the set")
	}
	return keys, nil
}

// session returns the user of a request's cookie.
func (p *portico) session(r *http.Request) (Identity, bool, error) {
	cookies := sessionCookies(r)
	if cookies == nil {
		return Identity{}, false, nil
	}
	var current struct {
		User struct {
			ID, Email, Name string
			Roles           []string
		}
		Session struct {
			ID              string
			AuthenticatedAt time.Time `json:"authenticated_at"`
			Methods         []string
		}
	}
	status, err := p.get(r.Context(), "/auth/api/session", cookies, &current)
	switch {
	case err != nil:
		return Identity{}, false, fmt.Errorf("%w: %w", ErrUnavailable, err)
	case status == http.StatusUnauthorized:
		return Identity{}, false, nil
	case status != http.StatusOK || current.User.ID == "":
		return Identity{}, false, fmt.Errorf("%w: the session is answered with %d", ErrUnavailable, status)
	}
	return Identity{
		ID: current.User.ID, Email: current.User.Email, Name: current.User.Name, Roles: current.User.Roles,
		Methods: current.Session.Methods, SessionID: current.Session.ID, AuthenticatedAt: current.Session.AuthenticatedAt,
	}, true, nil
}

// sessionCookies returns only Portico's cookies of a request. The cookies of
// the app must not leave it.
func sessionCookies(r *http.Request) []string {
	var lines []string
	for _, cookie := range r.Cookies() {
		if cookie.Name == "__Host-portico-session" || cookie.Name == "portico-session" {
			lines = append(lines, cookie.Name+"="+cookie.Value)
		}
	}
	if lines == nil {
		return nil
	}
	return []string{strings.Join(lines, "; ")}
}
