package client

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/go-jose/go-jose/v4"
	"github.com/go-jose/go-jose/v4/jwt"
)

const (
	// leeway is the largest difference between the clocks of Portico and the
	// app.
	leeway = 10 * time.Second

	// maxToken limits the size of a token before it is parsed.
	maxToken = 8 << 10
)

// claims are the claims of the token (RFC 7519, OpenID Connect Core 2).
type claims struct {
	jwt.Claims

	SessionID string   `json:"sid"`
	Email     string   `json:"email"`
	Name      string   `json:"name"`
	Roles     []string `json:"roles"`
	Methods   []string `json:"amr"`
	AuthTime  int64    `json:"auth_time"`
}

// Identify returns the user of a request, by the method of the client's
// options. It returns false without a user. If the error is ErrRefused or
// ErrUnavailable, the request must not be served.
func (c *Client) Identify(r *http.Request) (Identity, bool, error) {
	if c.ask {
		return c.portico.session(r)
	}
	tokens := r.Header.Values(TokenHeader)
	switch {
	case len(tokens) > 1:
		return Identity{}, false, fmt.Errorf("%w: there are %d tokens", ErrRefused, len(tokens))
	case len(tokens) == 0, tokens[0] == "":
		return Identity{}, false, nil
	}
	i, err := c.Verify(r.Context(), tokens[0])
	return i, err == nil, err
}

// Verify returns the user of a token, or an error that is ErrRefused or
// ErrUnavailable.
func (c *Client) Verify(ctx context.Context, token string) (Identity, error) {
	if len(token) > maxToken {
		return Identity{}, fmt.Errorf("%w: the token is longer than %d bytes", ErrRefused, maxToken)
	}
	if !oneSpelling(token) {
		return Identity{}, fmt.Errorf("%w: the token is not in base64url as RFC 7515 writes it", ErrRefused)
	}
	// The fixed list of algorithms keeps a token from choosing how it is
	// verified (RFC 8725 3.1).
	parsed, err := jwt.ParseSigned(token, []jose.SignatureAlgorithm{jose.ES256})
	if err != nil {
		return Identity{}, fmt.Errorf("%w: %w", ErrRefused, err)
	}
	head := parsed.Headers[0]
	if typ, _ := head.ExtraHeaders[jose.HeaderType].(string); !strings.EqualFold(typ, "JWT") {
		return Identity{}, fmt.Errorf("%w: the token is of the type %q and not JWT", ErrRefused, typ)
	}
	key, err := c.keys.find(ctx, head.KeyID)
	if err != nil {
		return Identity{}, err
	}
	var payload json.RawMessage
	var found claims
	if err := parsed.Claims(key, &payload, &found); err != nil {
		return Identity{}, fmt.Errorf("%w: %w", ErrRefused, err)
	}
	if err := eachOnce(json.NewDecoder(bytes.NewReader(payload))); err != nil {
		return Identity{}, fmt.Errorf("%w: %w", ErrRefused, err)
	}
	if err := c.check(found); err != nil {
		return Identity{}, fmt.Errorf("%w: %w", ErrRefused, err)
	}
	return Identity{
		ID: found.Subject, Email: found.Email, Name: found.Name, Roles: found.Roles, Methods: found.Methods,
		SessionID: found.SessionID, AuthenticatedAt: time.Unix(found.AuthTime, 0).UTC(),
	}, nil
}

// oneSpelling reports whether every part is the only text for its bytes. A lax
// decoder also accepts line ends and unused last bits. An app that remembers
// tokens would then not recognize one in another spelling.
func oneSpelling(token string) bool {
	if strings.ContainsAny(token, "\r\n") { // the decoder skips them
		return false
	}
	for part := range strings.SplitSeq(token, ".") {
		if _, err := base64.RawURLEncoding.Strict().DecodeString(part); err != nil {
			return false
		}
	}
	return true
}

// eachOnce refuses a JSON value in which an object has two members with one name, at any
// depth: another program may take the other one. The library looks at the claims that it
// reads, and at the header.
func eachOnce(d *json.Decoder) error {
	begin, err := d.Token()
	if begin != json.Delim('{') && begin != json.Delim('[') {
		return err
	}
	names := map[any]bool{}
	for d.More() {
		if begin == json.Delim('{') {
			name, err := d.Token()
			if err != nil {
				return err
			}
			if names[name] {
				return fmt.Errorf("the token has the member %.40q twice", name)
			}
			names[name] = true
		}
		if err := eachOnce(d); err != nil {
			return err
		}
	}
	_, err = d.Token() // the end
	return err
}

func (c *Client) check(found claims) error {
	switch {
	case found.Issuer != c.issuer:
		return fmt.Errorf("the token is from %q, and this app trusts %q", found.Issuer, c.issuer)
	case len(found.Audience) != 1 || found.Audience[0] != c.audience:
		return fmt.Errorf("the token is for %q, and this app is %q", found.Audience, c.audience)
	case found.Subject == "" || found.Expiry == nil:
		return errors.New("the token has no subject, or no end")
	}
	return found.ValidateWithLeeway(jwt.Expected{Time: time.Now()}, leeway)
}
