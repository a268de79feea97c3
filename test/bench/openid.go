package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"

	"portico/internal/secret"
)

// The OpenID client of the rows.
const (
	benchClient = "bench"
	benchSecret = "a secret of the benchmark, in its rows"
	benchReturn = "https://app.bench.test/callback"

	authorizePath  = "/auth/openid/authorize"
	tokenPath      = "/auth/openid/token"
	userInfoPath   = "/auth/openid/userinfo"
	introspectPath = "/auth/openid/introspect"
)

// machineClient gets tokens for itself, in JWT form as Dex gives them.
const machineClient = "machine"

var clientSettings = fmt.Sprintf("[[client]]\nid = %q\nsecret = %q\nredirect_uris = [%q]\n", benchClient, benchSecret, benchReturn) +
	fmt.Sprintf("[[client]]\nid = %q\nsecret = %q\ngrants = [\"client_credentials\"]\naccess_token = \"jwt\"\n", machineClient, benchSecret)

// issuer is an OpenID provider with the client of the rows.
type issuer struct {
	host, authorize, token, userInfo string
}

var product = issuer{publicHost, authorizePath, tokenPath, userInfoPath}

// issuing starts the product with an OpenID client.
func (b *bench) issuing(ctx context.Context, e engine) (i *installation, server *process, err error) {
	if i, err = b.installed(ctx, e, b.small); err != nil {
		return nil, nil, err
	}
	i.settings = clientSettings
	defer func() { i.settings = "" }()
	server, err = i.serve(ctx)
	return i, server, err
}

// tokens are what a flow gives.
type tokens struct {
	Access  string `json:"access_token"`
	Refresh string `json:"refresh_token"`
	ID      string `json:"id_token"`
}

// question returns a request for a code, and the verifier of its challenge.
func question() (query, verifier string) {
	verifier = secret.Token()
	return url.Values{
		"client_id": {benchClient}, "response_type": {"code"}, "redirect_uri": {benchReturn}, "scope": {"openid profile email"},
		"state": {verifier[:16]}, "nonce": {verifier[16:32]},
		"code_challenge": {secret.Encode(secret.Hash(verifier))}, "code_challenge_method": {"S256"},
	}.Encode(), verifier
}

// tokens gets the tokens of a user with a session: a code, and then its tokens.
func (o issuer) tokens(c *conn, cookie string) (t tokens, err error) {
	query, verifier := question()
	a, err := c.do(o.get(o.authorize+"?"+query, cookie))
	if err != nil {
		return t, err
	}
	back, err := url.Parse(a.location)
	if err = errors.Join(a.want(303), err); err != nil {
		return t, err
	}
	return o.exchange(c, url.Values{"grant_type": {"authorization_code"}, "code": {back.Query().Get("code")}, "redirect_uri": {benchReturn}, "code_verifier": {verifier}})
}

// flow gets tokens, and then the claims of the user.
func (o issuer) flow(c *conn, cookie string) (counts bool, err error) {
	t, err := o.tokens(c, cookie)
	if err != nil {
		return false, err
	}
	a, err := c.do(o.claims(t.Access))
	if err != nil {
		return false, err
	}
	return true, a.want(200)
}

// flows are flows of a few users.
func (i *installation) flows() work {
	return func(c *conn) (bool, error) {
		return product.flow(c, sessionCookie+"="+token(i.next()%min(returning, i.sessions())))
	}
}

// exchange asks the token endpoint.
func (o issuer) exchange(c *conn, form url.Values) (t tokens, err error) {
	a, err := c.do(o.post(benchClient, o.token, form))
	if err != nil {
		return t, err
	}
	if err := errors.Join(a.want(200), json.Unmarshal(a.body, &t)); err != nil {
		return t, err
	}
	if t.Access == "" || t.Refresh == "" || t.ID == "" {
		return t, fmt.Errorf("a token is missing: %s", a.body)
	}
	return t, nil
}

// get returns a request of a browser.
func (o issuer) get(path, cookie string) []byte {
	return fmt.Appendf(nil, "GET %s HTTP/1.1\r\nHost: %s\r\nUser-Agent: %s\r\nAccept: */*\r\nAccept-Language: %s\r\nCookie: %s\r\n\r\n", path, o.host, agent, languages, cookie)
}

// post returns a request of a client, as servers send it.
func (o issuer) post(client, path string, form url.Values) []byte {
	form.Set("client_id", client)
	form.Set("client_secret", benchSecret)
	body := form.Encode()
	return fmt.Appendf(nil, "POST %s HTTP/1.1\r\nHost: %s\r\nUser-Agent: Go-http-client/1.1\r\nContent-Type: application/x-www-form-urlencoded\r\nContent-Length: %d\r\n\r\n%s",
		path, o.host, len(body), body)
}

// claims returns a request for the claims of a user, as servers send it.
func (o issuer) claims(access string) []byte {
	return fmt.Appendf(nil, "GET %s HTTP/1.1\r\nHost: %s\r\nUser-Agent: Go-http-client/1.1\r\nAuthorization: Bearer %s\r\n\r\n", o.userInfo, o.host, access)
}
